package consensus

import (
	"fmt"
	"testing"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/vec"
	"pgregory.net/rapid"
)

// every names all recipes with the options that change how they wait.
func every() map[string]Options {
	return map[string]Options{
		"dpsgd":          {Recipe: "dpsgd"},
		"barrier":        {Recipe: "barrier"},
		"quorum":         {Recipe: "quorum"},
		"quorum-grace":   {Recipe: "quorum", GraceFraction: 0.2},
		"pulse":          {Recipe: "pulse"},
		"backup-skip":    {Recipe: "backup", Late: Skip},
		"backup-abort":   {Recipe: "backup", Late: Abort},
		"backup-carry":   {Recipe: "backup", Late: Carry},
		"backup-static":  {Recipe: "backup", StaticDegrees: true},
		"backup-latest":  {Recipe: "backup", Mix: Latest},
		"dybw-skip":      {Recipe: "dybw", Late: Skip},
		"dybw-abort":     {Recipe: "dybw", Late: Abort},
		"dybw-carry":     {Recipe: "dybw", Late: Carry},
		"dybw-static":    {Recipe: "dybw", Late: Skip, StaticDegrees: true},
		"dybw-corrected": {Recipe: "dybw", Late: Skip, Participation: true},
		"aau-skip":       {Recipe: "aau", Late: Skip},
		"aau-abort":      {Recipe: "aau", Late: Abort},
		"aau-carry":      {Recipe: "aau", Late: Carry},
		"swift":          {Recipe: "swift"},
		"swift-damped":   {Recipe: "swift", Weights: InverseAge, Momentum: 0.3},
		"adpsgd":         {Recipe: "adpsgd"},
		"adpsgd-plain":   {Recipe: "adpsgd", RateCap: 1},
		"noloco":         {Recipe: "noloco", LocalSteps: 2},
		"cutoff":         {Recipe: "cutoff"},
		"dbw":            {Recipe: "dbw"},
		"dasgd":          {Recipe: "dasgd"},
		"dssp":           {Recipe: "dssp"},
		"dssp-fixed":     {Recipe: "dssp", GapMin: 2, GapMax: 2, MaxSkip: 1},
		"d2":             {Recipe: "d2"},
		"gt":             {Recipe: "gt"},
		"gt-sums":        {Recipe: "gt", RunningSums: true},
		"sgp":            {Recipe: "sgp"},
		"sgp-overlap":    {Recipe: "sgp", Overlap: 2},
		"auto":           {Recipe: "auto"},
		"pulse-int8":     {Recipe: "pulse", Codec: vec.Codec{Kind: vec.Int8}},
		"dpsgd-bf16":     {Recipe: "dpsgd", Codec: vec.Codec{Kind: vec.BF16}},
		"dybw-int8":      {Recipe: "dybw", Codec: vec.Codec{Kind: vec.Int8}},
		"swift-slim":     {Recipe: "swift", Codec: vec.Codec{Kind: vec.Slim}},
		"choco":          {Recipe: "choco"},
		"pulse-auto":     {Recipe: "pulse", Codec: vec.Codec{Kind: vec.Auto}},
		"dpsgd-share":    {Recipe: "dpsgd", Share: BySpeed},
		"pulse-share":    {Recipe: "pulse", Share: BySpeed},
		"sgp-share":      {Recipe: "sgp", Share: BySpeed},
		"dpsgd-block":    {Recipe: "dpsgd", Codec: vec.Codec{Kind: vec.Fragment}},
	}
}

// Nobody hangs: under random delays and with peers dying and coming back, every live peer goes on
// closing rounds (or, under abort, at least goes on training).
func TestProgressUnderDeaths(t *testing.T) {
	for name, o := range every() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) { progress(r, t, o) })
		})
	}
}

func progress(r *rapid.T, t *testing.T, o Options) {
	n := rapid.IntRange(1, 8).Draw(r, "peers")
	w := newNetwork(t, ring(n, rapid.IntRange(1, 2).Draw(r, "reach")), o, nil)
	root := rapid.Uint64().Draw(r, "seed")
	w.step = jitter(root, map[Peer]float64{"b": rapid.Float64Range(0.3, 10).Draw(r, "slow")})
	longest := rapid.IntRange(1, 1500).Draw(r, "delay")
	w.latency = func(a, b Peer) Duration {
		return 1 + Duration(seed.Derive(root, "delay", string(a), string(b))%uint64(longest))
	}
	kills := rapid.IntRange(0, n-1).Draw(r, "kills")
	for i := range kills {
		at := Time(rapid.IntRange(0, 60_000).Draw(r, "at"))
		p := w.names[(i*3+1)%n]
		w.call(at, func() { w.kill(p, 500) })
	}
	w.run(150_000)
	before := map[Peer]uint64{}
	for p, m := range w.peers {
		before[p] = m.Round()
	}
	w.run(300_000)
	for p, m := range w.peers {
		if !w.dead[p] && m.Round() < before[p]+5 {
			r.Fatalf("%s closed %d rounds and then only %d more in 150 blocks; killed %v",
				p, before[p], m.Round()-before[p], fmt.Sprint(w.dead))
		}
	}
}
