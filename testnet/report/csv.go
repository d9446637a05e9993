package report

import (
	"bytes"
	"encoding/csv"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/starling-ml/starling/testnet"
)

// csv is the table of all runs. Its columns are the same for every report: swept values, tuned values and
// recalls are KEY=VALUE, with ; between them.
func (r *Report) csv() ([]byte, error) {
	var text bytes.Buffer
	out := csv.NewWriter(&text)
	header := []string{
		"folder", "name", "version", "commit", "config_hash", "recipe", "seed", "runtime", "sweep", "tuned", "peers",
	}
	header = append(header, testnet.Metrics()...)
	if err := out.Write(append(header, "recall", "model_hash", "overloaded")); err != nil {
		return nil, err
	}
	for _, one := range r.runs() {
		if err := out.Write(one.row()); err != nil {
			return nil, err
		}
	}
	out.Flush()
	return text.Bytes(), out.Error()
}

// runs are those of the report in its order.
func (r *Report) runs() []*run {
	var all []*run
	for _, b := range r.builds {
		for _, g := range b.groups {
			for _, s := range g.series {
				all = append(all, s.runs...)
			}
		}
	}
	return all
}

func (r *run) row() []string {
	meta, result := r.job.Meta, &r.result
	row := []string{
		r.job.name, meta.Name, meta.Version, meta.Commit, meta.ConfigHash, result.Recipe,
		strconv.FormatUint(result.Seed, 10), result.Runtime, pairs(result.Sweep), pairs(result.Tuned),
		strconv.Itoa(result.Peers),
	}
	for _, name := range testnet.Metrics() {
		value, _ := result.Metric(name)
		text := strconv.FormatFloat(value, 'g', -1, 64)
		if math.IsInf(value, 0) || math.IsNaN(value) {
			text = "" // a target that was not reached, a loss that is none
		}
		row = append(row, text)
	}
	recall := map[string]string{}
	for class, value := range result.Recall {
		recall[class] = strconv.FormatFloat(value, 'g', -1, 64)
	}
	return append(row, pairs(recall), result.ModelHash, strconv.FormatBool(result.Overloaded))
}

func pairs(of map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, key+"="+of[key])
	}
	return strings.Join(parts, ";")
}
