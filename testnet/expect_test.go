package testnet

import (
	"strings"
	"testing"
)

func pointer(x float64) *float64 { return &x }

// slowdowns are results of two recipes, two slow-downs and three seeds.
func slowdowns() []Result {
	var results []Result
	for _, c := range []struct {
		recipe, slow string
		times        []*float64
		recall       float64
	}{
		{"dpsgd", "1x", []*float64{pointer(10), pointer(12), pointer(11)}, 0.99},
		{"quorum", "1x", []*float64{pointer(9), pointer(30), pointer(10)}, 0.97},
		{"dpsgd", "10x", []*float64{pointer(90), nil, nil}, 0.95},
		{"quorum", "10x", []*float64{pointer(15), pointer(16), nil}, 0.96},
	} {
		for i, t := range c.times {
			results = append(results, Result{
				Recipe: c.recipe, Seed: uint64(i), TimeToTarget: t,
				Sweep:  map[string]string{"peers.groups.slow.compute.step": c.slow},
				Recall: map[string]float64{"7": c.recall},
			})
		}
	}
	return results
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		e    Expectation
		ok   bool
		text string
	}{
		"median over seeds": {
			Expectation{Metric: "time_to_target_s", Recipe: "quorum", When: "slow = 1x", AtMost: pointer(10)},
			true,
			"time_to_target_s of quorum step=1x is 10, expected at most 10",
		},
		"for every recipe": {
			Expectation{Metric: "time_to_target_s", When: "slow = 1x", AtMost: pointer(10)},
			false,
			"time_to_target_s of dpsgd step=1x is 11, expected at most 10",
		},
		"for every slow-down": {
			Expectation{Metric: "time_to_target_s", Recipe: "quorum", AtMost: pointer(12)},
			false,
			"time_to_target_s of quorum step=10x is 16, expected at most 12",
		},
		"relative to never": {
			Expectation{Metric: "time_to_target_s", Recipe: "quorum", Of: "dpsgd", When: "slow = 10x", LessThan: pointer(0.6)},
			true, "time_to_target_s of quorum step=10x is 0, expected less than 0.6 of dpsgd",
		},
		"relative": {
			Expectation{Metric: "time_to_target_s", Recipe: "quorum", Of: "dpsgd", When: "slow = 1x", LessThan: pointer(0.6)},
			false, "time_to_target_s of quorum step=1x is 0.9091, expected less than 0.6 of dpsgd",
		},
		"never is not at most": {
			Expectation{Metric: "time_to_target_s", Recipe: "dpsgd", When: "slow = 10x", AtMost: pointer(1e9)},
			false,
			"time_to_target_s of dpsgd step=10x is not reached, expected at most 1e+09",
		},
		"recall": {
			Expectation{Metric: "recall/7", Recipe: "quorum", AtLeast: pointer(0.95)},
			true,
			"recall/7 of quorum step=10x is 0.96, expected at least 0.95",
		},
		"within": {
			Expectation{Metric: "eval/recall/7", Recipe: "dpsgd", AtLeast: pointer(0.9), LessThan: pointer(0.95)},
			false,
			"eval/recall/7 of dpsgd step=1x is 0.99, expected at least 0.9 and less than 0.95",
		},
		"unknown class": {
			Expectation{Metric: "recall/x", Recipe: "dpsgd", AtLeast: pointer(0)},
			false,
			"recall/x of dpsgd step=1x is unknown, expected at least 0",
		},
		"no such run": {
			Expectation{Metric: "loss", Recipe: "pulse", When: "slow = 1x", AtMost: pointer(1)},
			false,
			"loss of pulse at most 1 when slow = 1x: no run matches",
		},
		"no such value": {
			Expectation{Metric: "loss", Recipe: "quorum", When: "slow = 5x", AtMost: pointer(1)},
			false,
			"loss of quorum at most 1 when slow = 5x: no run matches",
		},
	} {
		v := Judge(c.e, slowdowns())
		if v.OK != c.ok || v.Text != c.text {
			t.Errorf("%s: %t, %q; expected %t, %q", name, v.OK, v.Text, c.ok, c.text)
		}
		if got := strings.Contains(v.Text, "no run"); got != (len(v.Runs) == 0) {
			t.Errorf("%s: runs %v", name, v.Runs)
		}
	}
}

func TestVerdictNamesTheRuns(t *testing.T) {
	t.Parallel()
	v := Judge(Expectation{Metric: "time_to_target_s", Recipe: "quorum", AtMost: pointer(12)}, slowdowns())
	if len(v.Runs) != 3 || v.Runs[0] != 9 || *v.Value != 16 {
		t.Errorf("runs %v, value %v", v.Runs, v.Value)
	}
	never := Expectation{Metric: "time_to_target_s", Recipe: "dpsgd", When: "slow = 10x", AtMost: pointer(1)}
	v = Judge(never, slowdowns())
	if v.Value != nil {
		t.Errorf("an infinite value is written as %g", *v.Value)
	}
}

func TestMedianOfAnEvenNumber(t *testing.T) {
	t.Parallel()
	results := []Result{{Loss: 1}, {Loss: 4}, {Loss: 2}, {Loss: 9}}
	if got := median(results, []int{0, 1, 2, 3}, "loss"); got != 3 {
		t.Errorf("median of 1 2 4 9 is %g", got)
	}
}

func TestEveryMetricHasAValue(t *testing.T) {
	t.Parallel()
	classes, numbers := &Result{Recall: map[string]float64{"7": 1}}, &Result{RMSE: 3}
	for _, name := range Metrics() {
		_, classified := classes.Metric(name)
		_, measured := numbers.Metric(name)
		want := [2]bool{name != "rmse", name != "accuracy" && name != "accuracy_min"}
		if got := [2]bool{classified, measured}; got != want {
			t.Errorf("%s has a value with classes and with numbers: %v, want %v", name, got, want)
		}
	}
	if _, ok := (&Result{}).Metric("speed"); ok {
		t.Error("there is no metric called speed")
	}
}
