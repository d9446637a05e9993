package testnet

import (
	"fmt"
	"strconv"
	"time"

	"github.com/starling-ml/starling/internal/settings"
)

// Bounds on what a manifest may ask for. Times stay so far from the ends of the clock that sums of them
// are times too, and what is written out before a run fits into memory.
const (
	longestRun   = settings.Duration(365 * 24 * time.Hour)
	longestDelay = settings.Duration(time.Hour)
	slowestLink  = settings.Rate(1) // bytes per second
	mostLoss     = settings.Percent(0.95)
	leastFactor  = 0.001 // of a step time, in a schedule
	mostFactor   = 10_000
	mostTimes    = 100_000 // of one line of a schedule
	mostRuns     = 100_000
)

// checkBounds reports what is beyond the bounds.
func (l *Loaded) checkBounds() {
	l.atMost("train.stop.time", l.Train.Stop.Time, longestRun)
	l.checkLink("peers.defaults.link", l.Peers.Defaults.Link)
	for i := range l.Peers.Groups {
		l.checkLink(l.groupPath(i)+".link", l.peerOf(i).Link)
	}
	for i := range l.Schedule {
		l.checkPerturbation("schedule."+strconv.Itoa(i), &l.Schedule[i])
	}
}

// atMost reports a time that is too long.
func (l *Loaded) atMost(path string, given, most settings.Duration) {
	if given > most {
		l.Document.Problem(path, fmt.Sprintf("%s is longer than %s", given, most), "")
	}
}

// checkLink checks the link of the defaults or a group, where the document speaks of one.
func (l *Loaded) checkLink(path string, link settings.Link) {
	if !l.Document.Has(path) {
		return
	}
	l.atMost(path+".latency", link.Latency, longestDelay)
	l.atMost(path+".jitter", link.Jitter, longestDelay)
	if link.Loss > mostLoss {
		l.Document.Problem(path+".loss", fmt.Sprintf("%s is more than %s", link.Loss, mostLoss),
			"kill peers that are cut off")
	}
	if link.Up > 0 && link.Up < slowestLink {
		l.Document.Problem(path+".up", fmt.Sprintf("%s is less than %s", link.Up, slowestLink), "0 is no limit")
	}
}

func (l *Loaded) checkPerturbation(path string, p *Perturbation) {
	l.atMost(path+".for", p.For, longestRun)
	l.checkLink(path+".link", p.Link)
	l.atMost(path+".restart_after", p.RestartAfter, longestRun)
	if f := p.Compute; f != 0 && (f < leastFactor || f > mostFactor) {
		l.Document.Problem(path+".compute", fmt.Sprintf("%s is not from %s to %s",
			f, settings.Factor(leastFactor), settings.Factor(mostFactor)), "")
	}
	if p.Every > 0 && l.Train.Stop.Time/p.Every > mostTimes {
		l.Document.Problem(path+".every", fmt.Sprintf("%s is more than %d times in %s",
			p.Every, mostTimes, l.Train.Stop.Time), "let more time pass")
	}
}

// checkRuns reports too many runs.
func (l *Loaded) checkRuns() {
	each := l.Seeds
	if l.Tune != nil {
		tuning := max(2, l.Tune.Seeds)
		for _, values := range l.Tune.Keys {
			tuning = min(tuning*max(1, len(values)), 2*mostRuns)
		}
		each += tuning
	}
	for _, a := range l.axes() {
		if each = min(each*max(1, len(a.values)), 2*mostRuns); each > mostRuns {
			l.Document.Problem("sweep", fmt.Sprintf("more than %d runs", mostRuns), "sweep over fewer values or seeds")
			return
		}
	}
}
