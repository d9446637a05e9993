package estimate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/starling-ml/starling/train/pace"
)

// small is a manifest of ring-8 with equal peers.
const small = `version: 1
name: small
peers:
  count: 8
  defaults: {compute: {step: 100ms}, link: {latency: 2ms, up: 1Mbit/s}}
topology: {graph: ring}
train:
  task: {dataset: digits, model: mlp-48}
  lr: 0.1
  recipe: dpsgd
  stop: {time: 1s}
`

func grown(t *testing.T, set ...string) *Report {
	t.Helper()
	r, err := Grow(loaded(t, small, set...), 64)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// own is the row with the manifest's own number of peers.
func own(r *Report) Figures { return r.Runs[0].Rows[r.Runs[0].own] }

// A round that everybody waits for is as long as the slowest of N blocks (Neglia et al. 2019).
func TestBarrierIsTheSlowestOfAll(t *testing.T) {
	t.Parallel()
	r := grown(t, "train.recipe=barrier", "peers.defaults.compute.law=exponential", "peers.defaults.link.up=0bit/s",
		"peers.defaults.link.latency=0s")
	for _, f := range r.Runs[0].Rows {
		near(t, fmt.Sprint(f.Peers, " peers"), f.Round, .1*harmonic(f.Peers), .02)
		near(t, fmt.Sprint(f.Peers, " peers, gradients"), f.Gradients, float64(f.Peers)/f.Round, 1e-9)
	}
}

// Where nothing varies, nothing is estimated: block, the turns in the uplink, the latency.
func TestRoundsThatDoNotVaryAreSums(t *testing.T) {
	t.Parallel()
	f := own(grown(t, "peers.defaults.link.up=0bit/s"))
	near(t, "round", f.Round, .102, .001)
	near(t, "waiting for links", f.Communication, .002, .01)
	near(t, "waiting for peers", f.Waiting, 0, 0)
	f = own(grown(t, "train.recipe=swift", "train.local_steps=3"))
	near(t, "round of nobody who waits", f.Round, .3, .001)
	near(t, "gradients", f.Gradients, 80, .001)
}

// The rate at which sending is said to take as long as training is that rate.
func TestWhereCommunicationDominatesIsTrue(t *testing.T) {
	t.Parallel()
	rate := own(grown(t)).enoughRate()
	f := own(grown(t, fmt.Sprintf("peers.defaults.link.up=%.0fbit/s", rate)))
	near(t, "sending", f.Sending, f.Training, .001)

	fast, slow := grown(t, "peers.defaults.link.up=1Gbit/s"), grown(t, "peers.defaults.link.up=0.1Mbit/s")
	if words := fast.Runs[0].Words; len(words) != 1 || !strings.HasPrefix(words[0], "training takes longer") {
		t.Errorf("fast links: %q", words)
	}
	if words := slow.Runs[0].Words; !strings.HasPrefix(words[0], "sending takes longer than training at every size") {
		t.Errorf("slow links: %q", words)
	}
	distant := grown(t, "peers.defaults.link.latency=1s")
	if words := distant.Runs[0].Words; !strings.Contains(words[0], "whatever the uplinks") {
		t.Errorf("distant peers: %q", words)
	}
	dense := grown(t, "topology.graph=full", "peers.defaults.link.up=10Mbit/s")
	if words := dense.Runs[0].Words; !strings.HasPrefix(words[0], "sending takes longer than training from 16 peers on") {
		t.Errorf("a full graph: %q", words)
	}
}

// What is said to help does what is said of it.
func TestHelpHelps(t *testing.T) {
	t.Parallel()
	before := grown(t, "peers.defaults.link.up=0.2Mbit/s")
	words := strings.Join(before.Runs[0].Words, "\n")
	var sending, lean string
	var steps int
	for _, line := range before.Runs[0].Words {
		if _, after, found := strings.Cut(line, "train.codec.kind int8 cuts sending from "); found {
			sending, lean, _ = strings.Cut(after, " to ")
		}
		if _, after, found := strings.Cut(line, "train.local_steps "); found {
			if _, err := fmt.Sscan(after, &steps); err != nil {
				t.Fatal(err)
			}
		}
	}
	if sending != Seconds(own(before).Sending) {
		t.Errorf("sending takes %v: %s", own(before).Sending, words)
	}
	eight := own(grown(t, "peers.defaults.link.up=0.2Mbit/s", "train.codec.kind=int8"))
	if Seconds(eight.Sending) != lean {
		t.Errorf("with int8 sending takes %s: %s", Seconds(eight.Sending), words)
	}
	longer := own(grown(t, "peers.defaults.link.up=0.2Mbit/s", fmt.Sprint("train.local_steps=", steps)))
	shorter := own(grown(t, "peers.defaults.link.up=0.2Mbit/s", fmt.Sprint("train.local_steps=", steps-1)))
	if longer.Sending > longer.Training || shorter.Sending <= shorter.Training {
		t.Errorf("with %d local steps training takes %v, sending %v", steps, longer.Training, longer.Sending)
	}
}

func TestWhatIsNotCoveredIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ set, want string }{
		{"train.recipe=dybw", "train.recipe dybw is not covered by the cost model: a round ends when both ends"},
		{"train.recipe=cutoff", "follows from its own forecasts; starling testnet run simulates it"},
		{"train.recipe=backup", "peers.defaults.link.up 1 Mbit/s is not covered by the cost model of recipe backup"},
		{"train.wait.timeout=1s", "train.wait.timeout 1s is not covered by the cost model: rounds that are given up"},
		{"train.schedule.kind=matching", "train.schedule.kind matching is not covered"},
		{"peers.count=600", "peers.count 600: estimates are of 2 to 512 peers"},
		{"train.local_steps=5000", "a block of 5000 local steps"},
	} {
		l := loaded(t, small, c.set)
		if _, err := Grow(l, 64); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.set, err, c.want)
		}
	}
	if _, err := Grow(loaded(t, small), 1); err == nil || !strings.Contains(err.Error(), "--peers 1: give 2 to 512") {
		t.Error(err)
	}
	unknown := loaded(t, strings.Replace(small, "compute: {step: 100ms}, ", "", 1))
	if _, err := Grow(unknown, 8); err == nil || !strings.Contains(err.Error(), "compute.step is not given") {
		t.Error(err)
	}
	some := grown(t, "sweep={train.recipe: [dssp, dpsgd]}")
	if some.Runs[0].Refused == "" || some.Runs[1].Refused != "" || len(some.Runs[1].Rows) == 0 {
		t.Errorf("of two recipes one is covered: %+v", some.Runs)
	}
}

// Sizes that the manifest does not suit are left out, with the reason.
func TestSizesThatDoNotSuitAreLeftOut(t *testing.T) {
	t.Parallel()
	r := grown(t, "peers.groups=[{name: slow, select: 6, compute: {step: 4x}}]")
	g := r.Runs[0]
	if len(g.Omitted) != 1 || g.Omitted[0].Peers != 4 || !strings.Contains(g.Omitted[0].Why, "select") {
		t.Errorf("omitted: %+v", g.Omitted)
	}
	if len(g.Rows) != 4 || g.Rows[0].Peers != 8 {
		t.Errorf("rows: %+v", g.Rows)
	}
	var text, object bytes.Buffer
	if err := r.WriteTable(&text); err != nil {
		t.Error(err)
	}
	if !strings.Contains(text.String(), "4 peers are left out: --set: peers.groups") {
		t.Error(text.String())
	}
	var back Report
	if err := r.WriteJSON(&object); err != nil || json.Unmarshal(object.Bytes(), &back) != nil {
		t.Errorf("%v, %s", err, object.String())
	}
	if back.V != Version || back.Runs[0].Rows[1] != g.Rows[1] {
		t.Errorf("read back %+v", back)
	}
}

func ranked(t *testing.T, change func(*Question)) *Ranking {
	t.Helper()
	q := Question{Peers: 16, Law: pace.Law{Step: 40 * time.Millisecond}, Params: 3610, Seed: 1}
	if change != nil {
		change(&q)
	}
	r, err := Suggest(q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Links that cost nothing and steps that do not vary make the densest graph the best; slow uplinks do not.
func TestSuggestWeighsMixingAgainstThroughput(t *testing.T) {
	t.Parallel()
	free := ranked(t, nil)
	if best := free.Graphs[0]; best.Graph != "full" || math.Abs(best.Score-1) > 1e-6 {
		t.Errorf("free links: %+v", best)
	}
	slow := ranked(t, func(q *Question) { q.Up, q.Law.Kind, q.Peers = 1e5, "exponential", 64 })
	if best := slow.Graphs[0]; best.Degree >= 32 {
		t.Errorf("slow links: %+v", best)
	}
	for _, r := range []*Ranking{free, slow} {
		for i, c := range r.Graphs {
			near(t, c.Command, c.Score, c.Gap*c.Throughput, 1e-9)
			if i > 0 && c.Score > r.Graphs[i-1].Score*(1+tie) {
				t.Errorf("%s is better than what is before it", c.Command)
			}
		}
	}
	few := ranked(t, func(q *Question) { q.DegreeMax = 3 })
	for _, c := range few.Graphs {
		if c.Degree > 3 {
			t.Errorf("at most 3 neighbours: %+v", c)
		}
	}
}

func TestSuggestRefuses(t *testing.T) {
	t.Parallel()
	law := pace.Law{Step: 40 * time.Millisecond}
	for _, c := range []struct {
		q    Question
		want string
	}{
		{Question{Peers: 1, Law: law, Params: 1}, "1 peers: a network to suggest graphs for has 2 to 256"},
		{Question{Peers: 9, DegreeMax: 1, Law: law, Params: 1}, "a degree of at most 1"},
		{Question{Peers: 9, Law: law, Params: 1, Recipe: "dybw"}, "train.recipe dybw is not covered"},
		{Question{Peers: 9, Params: 1}, "step"},
	} {
		if _, err := Suggest(c.q); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.q, err, c.want)
		}
	}
}
