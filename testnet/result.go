package testnet

import (
	"maps"
	"math"
	"slices"

	"github.com/starling-ml/starling/observe"
)

// Result is what one run showed. Its JSON names are stable within version 1 of the summary.
type Result struct {
	// Recipe is the name of the recipe, or of the variant of one that the manifest names.
	Recipe string `json:"recipe"`
	Seed   uint64 `json:"seed"`
	// Sweep holds the value of every swept key other than the recipe, and the name of the case.
	Sweep map[string]string `json:"sweep,omitempty"`
	// Tuned holds the values that were chosen for this combination, on other seeds.
	Tuned   map[string]string `json:"tuned,omitempty"`
	Runtime string            `json:"runtime"`
	Peers   int               `json:"peers"`
	Time    float64           `json:"time_s"`
	// TimeToTarget is when the average of all estimates first met the target, interpolated between
	// two evaluations; nil when it never did or there is no target.
	TimeToTarget *float64 `json:"time_to_target_s"`
	Steps        uint64   `json:"steps_total"`
	StepRate     float64  `json:"steps_per_s"`
	// RoundTime is the mean time from one mix at the end of a block to the next on the same peer; 0
	// when there was none.
	RoundTime float64 `json:"round_s"`
	// WaitingRatio is the share of the peers' time that went by between the end of a block and the mix
	// that followed.
	WaitingRatio float64 `json:"waiting_ratio"`
	// Accuracy, Loss, RMSE and Recall are means over the peers' own models on the held-out data; AccuracyMin
	// is the worst peer's accuracy. A regression has an RMSE, in the unit of the data, and classes the others.
	Accuracy    float64            `json:"accuracy,omitempty"`
	AccuracyMin float64            `json:"accuracy_min,omitempty"`
	Loss        observe.Number     `json:"loss"`
	RMSE        float64            `json:"rmse,omitempty"`
	Recall      map[string]float64 `json:"recall"`
	// Distance is the root mean square over peers of the Euclidean distance between a peer's estimate
	// and the average one.
	Distance observe.Number `json:"consensus_distance"`
	// InfluenceMin is the smallest influence of a live peer relative to an equal share.
	InfluenceMin  float64 `json:"influence_min_ratio"`
	SentBytes     uint64  `json:"sent_bytes"`
	GradientsLost uint64  `json:"gradients_lost"`
	ModelHash     string  `json:"model_hash"`
	// Overloaded tells that the machine could not keep the pace asked for: times are not to be trusted.
	Overloaded bool `json:"overloaded,omitempty"`
}

// Metrics lists the names that expectations may use, besides recall/CLASS.
func Metrics() []string {
	return []string{
		"time_to_target_s", "steps_total", "steps_per_s", "round_s", "waiting_ratio", "accuracy", "accuracy_min",
		"loss", "rmse", "consensus_distance", "influence_min_ratio", "sent_bytes", "gradients_lost", "time_s",
	}
}

// Metric returns a metric by name; a target that was not reached is infinitely late.
func (r *Result) Metric(name string) (float64, bool) {
	switch name {
	case "time_to_target_s":
		if r.TimeToTarget == nil {
			return math.Inf(1), true
		}
		return *r.TimeToTarget, true
	case "steps_total":
		return float64(r.Steps), true
	case "steps_per_s":
		return r.StepRate, true
	case "round_s":
		return r.RoundTime, true
	case "waiting_ratio":
		return r.WaitingRatio, true
	case "accuracy":
		return r.Accuracy, len(r.Recall) > 0
	case "accuracy_min":
		return r.AccuracyMin, len(r.Recall) > 0
	case "rmse":
		return r.RMSE, len(r.Recall) == 0
	case "loss":
		return float64(r.Loss), true
	case "consensus_distance":
		return float64(r.Distance), true
	case "influence_min_ratio":
		return r.InfluenceMin, true
	case "sent_bytes":
		return float64(r.SentBytes), true
	case "gradients_lost":
		return float64(r.GradientsLost), true
	case "time_s":
		return r.Time, true
	}
	return r.recall(name)
}

func (r *Result) recall(metric string) (float64, bool) {
	class, ok := recallClass(metric)
	if !ok {
		return 0, false
	}
	value, ok := r.Recall[class]
	return value, ok
}

// label names the run among those of its manifest, without its seed.
func (r *Result) label() string {
	text := r.Recipe
	for _, key := range slices.Sorted(maps.Keys(r.Sweep)) {
		text += " " + lastKey(key) + "=" + r.Sweep[key]
	}
	return text
}
