package wire

import (
	"math"
	"strings"
	"testing"
)

func helloOf(change func(*Hello)) Hello {
	h := Hello{
		Software: "0.1.0", Name: "me", RunName: "digits-lab", Recipe: "quorum", Initial: Hash{1},
		Signature: Signature{{Name: "conv", Shape: []int{3, 3}}, {Name: "fc.weight", Shape: []int{10, 128}}},
	}
	change(&h)
	return h
}

func TestCompare(t *testing.T) {
	mine := helloOf(func(*Hello) {})
	for name, test := range map[string]struct {
		theirs Hello
		code   Code
		text   string
	}{
		"newer protocol": {
			helloOf(func(h *Hello) { h.Name, h.Version, h.Software = "lab-pc", 3, "0.3" }), CodeProtocol,
			"lab-pc speaks protocol 3, I speak 2: upgrade this agent (0.1.0 -> 0.3)",
		},
		"run": {
			helloOf(func(h *Hello) { h.Name, h.RunName = "lab-pc", "mnist" }), CodeRun,
			"lab-pc trains run mnist and I train digits-lab: give both the same run name, or remove its address",
		},
		"model": {
			helloOf(func(h *Hello) { h.Signature = Signature{h.Signature[0], {Name: "fc.weight", Shape: []int{10, 256}}} }),
			CodeModel, `layer 1 "fc.weight" is [10, 128] here and [10, 256] there`,
		},
		"initial": {
			helloOf(func(h *Hello) { h.Initial = Hash{2} }), CodeInitial,
			"initial parameters 0100…0000 differ from 0200…0000 of me: give both the same seed",
		},
		"recipe": {
			helloOf(func(h *Hello) { h.Recipe = "dpsgd" }), CodeRecipe,
			`recipe "quorum" differs from "dpsgd" of me: give both the same`,
		},
	} {
		got, back := Compare(mine, test.theirs), Compare(test.theirs, mine)
		if got == nil || got.Code != test.code || !strings.Contains(got.Text, test.text) {
			t.Errorf("%s: %+v, want code %v and %q", name, got, test.code, test.text)
		}
		if back == nil || back.Code != test.code {
			t.Errorf("%s: the other side finds %+v", name, back)
		}
	}
}

func TestCompareOlderProtocol(t *testing.T) {
	mine := helloOf(func(h *Hello) { h.Version = 4 })
	theirs := helloOf(func(h *Hello) { h.Name, h.Version, h.Software = "old-pc", 3, "0.0.9" })
	want := "old-pc speaks protocol 3, I speak 4: upgrade old-pc (0.0.9 -> 0.1.0)"
	if got := Compare(mine, theirs); got == nil || got.Text != want {
		t.Errorf("%+v, want %q", got, want)
	}
}

func TestCompareAccepts(t *testing.T) {
	mine := helloOf(func(*Hello) {})
	for name, theirs := range map[string]Hello{
		"equal":              mine,
		"other name":         helloOf(func(h *Hello) { h.Name, h.Software, h.Epoch = "you", "0.2", 5 }),
		"no initial hash":    helloOf(func(h *Hello) { h.Initial = Hash{} }),
		"no recipe":          helloOf(func(h *Hello) { h.Recipe = "" }),
		"explicit data type": helloOf(func(h *Hello) { h.Signature = Signature{withType(h.Signature[0]), h.Signature[1]} }),
	} {
		if refuse := Compare(mine, theirs); refuse != nil {
			t.Errorf("%s: %+v", name, refuse)
		}
	}
}

func withType(t Tensor) Tensor { t.DType = Float32; return t }

// TestCompareFitsTheWire lets every text be as long as it can.
func TestCompareFitsTheWire(t *testing.T) {
	long := strings.Repeat("é", MaxText/2)
	mine := helloOf(func(h *Hello) { h.Recipe = long })
	theirs := helloOf(func(h *Hello) { h.Recipe = long[2:] })
	refuse := Compare(mine, theirs)
	if refuse == nil {
		t.Fatal("accepted")
	}
	if _, err := testFormat().Append(nil, *refuse); err != nil {
		t.Errorf("text of %d bytes: %v", len(refuse.Text), err)
	}
}

func TestDiff(t *testing.T) {
	w := Tensor{Name: "w", Shape: []int{10, 128}}
	b := Tensor{Name: "b", Shape: []int{10}}
	half := Tensor{Name: "w", Shape: []int{10, 128}, DType: "float16"}
	for _, test := range []struct {
		here, there Signature
		want        string
	}{
		{Signature{w, b}, Signature{w, b}, ""},
		{Signature{w}, Signature{b}, `layer 0 is "w" here and "b" there`},
		{Signature{w, b}, Signature{w}, `layer 1 "b" is [10] here and missing there`},
		{Signature{w}, Signature{w, b}, `layer 1 "b" is [10] there and missing here`},
		{Signature{w}, Signature{half}, `layer 0 "w" is float32 here and float16 there`},
		{Signature{b, w}, Signature{b, {Name: "w", Shape: []int{5}}}, `layer 1 "w" is [10, 128] here and [5] there`},
		{nil, nil, ""},
	} {
		if got := Diff(test.here, test.there); got != test.want {
			t.Errorf("Diff is %q, want %q", got, test.want)
		}
		if same := test.here.Hash() == test.there.Hash(); same != (test.want == "") {
			t.Errorf("hashes of %v and %v are equal: %v", test.here, test.there, same)
		}
	}
}

// TestSignatureHashIsUnambiguous moves a character from one field to the next.
func TestSignatureHashIsUnambiguous(t *testing.T) {
	signatures := []Signature{
		{{Name: "ab", Shape: []int{1}}},
		{{Name: "a", DType: "b", Shape: []int{1}}},
		{{Name: "a", Shape: []int{1}}, {Name: "b", Shape: []int{1}}},
		{{Name: "a", Shape: []int{1, 1}}},
		{{Name: "a", Shape: []int{}}},
		{},
	}
	seen := map[Hash]int{}
	for i, s := range signatures {
		if j, ok := seen[s.Hash()]; ok {
			t.Errorf("signatures %d and %d have the same hash", i, j)
		}
		seen[s.Hash()] = i
	}
}

func TestParams(t *testing.T) {
	for _, test := range []struct {
		signature Signature
		want      int
	}{
		{nil, 0},
		{Signature{{Name: "scalar"}}, 1},
		{Signature{{Shape: []int{10, 128}}, {Shape: []int{10}}}, 1290},
		{Signature{{Shape: []int{10, 0}}}, -1},
		{Signature{{Shape: []int{math.MaxInt32, 2}}}, -1},
	} {
		if got := test.signature.Params(); got != test.want {
			t.Errorf("%v has %d parameters, want %d", test.signature, got, test.want)
		}
	}
}

func TestParamsHash(t *testing.T) {
	a := ramp(chunkSize).Params
	if ParamsHash(a) != ParamsHash(append([]float32(nil), a...)) {
		t.Error("equal vectors have other hashes")
	}
	b := append([]float32(nil), a...)
	b[len(b)-1] = math.Nextafter32(b[len(b)-1], 0)
	if ParamsHash(a) == ParamsHash(b) || ParamsHash(a) == ParamsHash(a[:len(a)-1]) {
		t.Error("different vectors have the same hash")
	}
}

func TestShort(t *testing.T) {
	h := Hash{0x9c, 0x1f, 14: 0xaa, 15: 0x07}
	if got := h.Short(); got != "9c1f…aa07" {
		t.Errorf("short hash is %q", got)
	}
}

func TestClosedSets(t *testing.T) {
	for _, reason := range Reasons() {
		if Reasons()[reasonNumber(reason)-1] != reason {
			t.Errorf("reason %s has number %d", reason, reasonNumber(reason))
		}
	}
	temporary := map[Code]bool{CodeStranger: true, CodeLeaving: true}
	for code := CodeProtocol; code <= CodeLeaving; code++ {
		if code.String() == "unknown" || code.Temporary() != temporary[code] || reasonNumber(code.Reason()) == 0 {
			t.Errorf("code %d: %s, temporary %v, reason %s", code, code, code.Temporary(), code.Reason())
		}
	}
	if Code(0).String() != "unknown" || Code(99).String() != "unknown" || Stopped.String() != "stopped" ||
		State(99).String() != "unknown" {
		t.Error("names of values outside the sets")
	}
}
