package data_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/starling-ml/starling/train/data"
)

// file writes a file and returns its path.
func file(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func zipped(t testing.TB, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// flowers is a table with n rows of three classes in which size grows with the class, and a constant.
func flowers(n int) []byte {
	var b bytes.Buffer
	b.WriteString("\ufeffsize, kind ,weight,same\r\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,%s,%g,7\r\n", 100*(i%3)+i, []string{"rose", "aster", "lily"}[i%3], float64(i)/8)
	}
	return b.Bytes()
}

func TestTableOfClasses(t *testing.T) {
	t.Parallel()
	for name, content := range map[string][]byte{"flowers.csv": flowers(30), "flowers.csv.gz": zipped(t, flowers(30))} {
		split, err := data.CSV(file(t, name, content), data.Table{Label: "kind", Fraction: 0.2})
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"aster", "lily", "rose"}; !slices.Equal(split.Train.Classes, want) {
			t.Errorf("classes %v, want %v", split.Train.Classes, want)
		}
		if want := []string{"size", "weight", "same"}; !slices.Equal(split.Train.Columns, want) {
			t.Errorf("columns %v, want %v", split.Train.Columns, want)
		}
		if split.Train.Len() != 24 || split.Test.Len() != 6 {
			t.Errorf("%d and %d rows, want 24 and 6", split.Train.Len(), split.Test.Len())
		}
		checkStandard(t, split.Train)
		for _, part := range []data.Shard{split.Train, split.Test} {
			checkFlowers(t, part)
		}
	}
}

// checkStandard checks that inputs have mean 0 and deviation 1, and the constant one 0.
func checkStandard(t *testing.T, s data.Shard) {
	t.Helper()
	x := make([]float32, 3)
	var sum, squares [3]float64
	for i := range s.Len() {
		s.Read(i, x)
		for k, v := range x {
			sum[k] += float64(v)
			squares[k] += float64(v) * float64(v)
		}
	}
	for k, want := range []float64{1, 1, 0} {
		mean, square := sum[k]/float64(s.Len()), squares[k]/float64(s.Len())
		if math.Abs(mean) > 1e-6 || math.Abs(square-want) > 1e-5 {
			t.Errorf("input %d has mean %v and mean square %v, want 0 and %v", k, mean, square, want)
		}
	}
}

// checkFlowers takes the rows back to their numbers and checks them and their classes.
func checkFlowers(t *testing.T, s data.Shard) {
	t.Helper()
	x := make([]float32, 3)
	for i := range s.Len() {
		class := s.Classes[int(s.Read(i, x))]
		row := int(math.Round(s.Scaling[1].Invert(x[1]) * 8))
		size := int(math.Round(s.Scaling[0].Invert(x[0])))
		if size != 100*(row%3)+row || class != []string{"rose", "aster", "lily"}[row%3] {
			t.Errorf("row %d has size %d and class %s", row, size, class)
		}
	}
}

func TestTableOfNumbers(t *testing.T) {
	t.Parallel()
	csv := []byte("rooms,price\n1,100000\n2,200000\n3,300000\n4,400000\n5,500000\n")
	split, err := data.CSV(file(t, "houses.csv", csv), data.Table{Label: "price", Regression: true, Fraction: 0.3})
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float32, 1)
	for i := range split.Train.Len() {
		y := split.Train.Read(i, x)
		rooms, price := split.Train.Scaling[0].Invert(x[0]), split.Train.Target.Invert(y)
		if math.Abs(price-1e5*rooms) > 1 || math.Abs(float64(y)) > 3 {
			t.Errorf("price %v (scaled %v) of %v rooms", price, y, rooms)
		}
	}
	unscaled := data.Table{Label: "price", Regression: true, Fraction: 0.3, Raw: true}
	raw, err := data.CSV(file(t, "houses.csv", csv), unscaled)
	if err != nil {
		t.Fatal(err)
	}
	if y := raw.Train.Read(0, x); y != 1e5*x[0] {
		t.Errorf("raw price %v of %v rooms", y, x[0])
	}
}

func TestLargeNumbersKeepTheirDifferences(t *testing.T) {
	t.Parallel()
	csv := []byte("time,ok\n1700000001,no\n1700000002,yes\n1700000003,no\n1700000004,yes\n1700000005,no\n")
	split, err := data.CSV(file(t, "log.csv", csv), data.Table{Label: "ok", Fraction: 0.2})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[float32]bool{}
	x := make([]float32, 1)
	for i := range split.Train.Len() {
		split.Train.Read(i, x)
		seen[x[0]] = true
	}
	if len(seen) != 4 {
		t.Errorf("%d different values of 4", len(seen))
	}
}

func TestClassesInOrder(t *testing.T) {
	t.Parallel()
	csv := []byte("x,y\n1,10\n2,9\n3,10\n4,-1\n5,9\n")
	split, err := data.CSV(file(t, "a.csv", csv), data.Table{Label: "y", Fraction: 0.2})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"-1", "9", "10"}; !slices.Equal(split.Train.Classes, want) {
		t.Errorf("classes %v, want %v", split.Train.Classes, want)
	}
	given := []string{"10", "9", "8", "-1"}
	split, err = data.CSV(file(t, "a.csv", csv), data.Table{Label: "y", Fraction: 0.2, Classes: given})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(split.Train.Classes, given) {
		t.Errorf("classes %v, want %v", split.Train.Classes, given)
	}
}

func TestTableErrorsSayWhere(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	many.WriteString("a,price\n")
	for i := range 1001 {
		fmt.Fprintf(&many, "1,%d\n", i)
	}
	number := data.Table{Label: "price", Regression: true, Fraction: 0.2}
	class := data.Table{Label: "price", Fraction: 0.2}
	two := data.Table{Label: "price", Fraction: 0.2, Classes: []string{"low", "high"}}
	for _, c := range []struct {
		csv, want string
		table     data.Table
	}{
		{"", "t.csv: empty: the first line must name the columns", number},
		{"a,b\n1,2\n", `t.csv:1: no column "price" to be learned: the columns are "a", "b"`, number},
		{"price\n1\n", "t.csv:1: only the column to be learned", number},
		{"a,,price\n", "t.csv:1: column 2 has no name", number},
		{"a,a,price\n", `t.csv:1: two columns are named "a"`, number},
		{"a,price\n", "t.csv: a header and no rows", number},
		{"a,price\n1,2\n3\n", "t.csv:3: 1 cells, but the header names 2 columns", number},
		{"a,price\n1,2\n\n3,4,5\n", "t.csv:4: 3 cells, but the header names 2 columns", number},
		{"a,price\n1,2\nn/a,3\n", `t.csv:3: column "a": "n/a" is not a number`, number},
		{"a,price\n1,2\n,3\n", `t.csv:3: column "a": empty cell`, number},
		{"a,price\n1,2\nNaN,3\n", `t.csv:3: column "a": "NaN" is not a finite`, number},
		{"a,price\n1,2\n1,-inf\n", `t.csv:3: column "price": "-inf" is not a finite`, number},
		{"a,price\n1,2\n1,1e39\n", `t.csv:3: column "price": "1e39" is not a finite`, number},
		{"a,price\n1,2\n1,1e999\n", `t.csv:3: column "price": "1e999" is not a finite`, number},
		{"a,price\n1,cheap\n", `t.csv:2: column "price": "cheap" is not a number`, number},
		{"a,price\n1,\n", `t.csv:2: column "price": empty cell: give every row a class`, class},
		{"a,price\n1,x\n2,x\n", `t.csv: column "price" has one class, "x"`, class},
		{many.String(), `t.csv:1002: column "price": more than 1000 different values`, class},
		{"a,price\n1,low\n2,mid\n", `t.csv:3: column "price": "mid" is not one of the classes "low", "high"`, two},
		{"a,price\n1,\"x\n", "t.csv:2:", class},
		{"a,price\n1,x\"y\n", "t.csv:2:4:", class},
		{"a,price\n1,2\n", "data set t.csv has 1 rows: too few", number},
		{"\x1f\x8b broken", "t.csv: decompress:", number},
	} {
		_, err := data.CSV(file(t, "t.csv", []byte(c.csv)), c.table)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.30q: error %v\nwant %s", c.csv, err, c.want)
		}
	}
	if _, err := data.CSV("/nowhere/t.csv", number); err == nil || !strings.Contains(err.Error(), "/nowhere/t.csv") {
		t.Errorf("missing file: %v", err)
	}
}

func TestReadRows(t *testing.T) {
	t.Parallel()
	path := file(t, "new.csv", []byte("note,weight,size\nbig,1,2\nsmall,3,4\n"))
	rows, err := data.ReadRows(path, []string{"size", "weight"})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || !slices.Equal(rows[0], []float64{2, 1}) || !slices.Equal(rows[1], []float64{4, 3}) {
		t.Errorf("rows %v, want the columns asked for", rows)
	}
	for want, columns := range map[string][]string{
		`new.csv:1: no column "color", which the model was trained on`: {"color"},
		`new.csv:2: column "note": "big" is not a number`:              {"note"},
	} {
		if _, err := data.ReadRows(path, columns); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if _, err := data.ReadRows(filepath.Dir(path)+"/none.csv", nil); err == nil {
		t.Error("read a missing file")
	}
}
