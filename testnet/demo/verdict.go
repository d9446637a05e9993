package demo

import "fmt"

// Verdict says in one line what a lane showed beside the others. It claims nothing that was not
// measured.
func (c Config) Verdict(outcomes []Outcome, i int) string {
	one := outcomes[i]
	recall := fmt.Sprintf("recall of %s is %.2f", Class, one.Recall[Class])
	switch best := bestOf(outcomes); {
	case one.Overloaded:
		return "the machine could not keep the pace: do not trust these times"
	case c.Slow > 1 && one.StepRate < best.rate/2 && one.WaitingRatio > 0.3:
		return fmt.Sprintf("the slow peer holds everybody up: %.0f %% of the time is waiting", 100*one.WaitingRatio)
	case one.Recall[Class] < best.recall-0.03:
		return "what the slow peer knows gets lost: " + recall
	case one.TimeToTarget != nil && *one.TimeToTarget == best.time && len(outcomes) > 1:
		return fmt.Sprintf("first at %.0f %%, and %s", 100*Target, recall)
	default:
		return recall
	}
}

// best is the best of every figure.
type best struct{ rate, recall, time float64 }

func bestOf(outcomes []Outcome) best {
	b := best{time: -1}
	for _, o := range outcomes {
		b.rate = max(b.rate, o.StepRate)
		b.recall = max(b.recall, o.Recall[Class])
		if t := o.TimeToTarget; t != nil && (b.time < 0 || *t < b.time) {
			b.time = *t
		}
	}
	return b
}
