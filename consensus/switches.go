package consensus

import (
	"slices"

	"github.com/starling-ml/starling/topology"
	"github.com/starling-ml/starling/vec"
)

// common are the options that every recipe reads whose pieces get along with them, each with a set of
// options that has it on.
var common = []struct {
	Option
	on Options
}{
	{optRobust, Options{Robust: NNA}},
	{optAttackers, Options{Robust: NNA}},
	{optShare, Options{Share: BySpeed}},
	{optCodec, Options{Codec: vec.Codec{Kind: vec.Int8}}},
	{optGamma, Options{Gamma: 0.5}},
	{optSchedule, Options{Schedule: topology.ScheduleSpec{Kind: "base"}}},
}

// defaultSwitches fills in what belongs to a switch that is on.
func defaultSwitches(o *Options) {
	if o.Robust != "" {
		setDefault(&o.Attackers, 1)
	}
	defaultCodec(o)
}

// options returns those that a recipe reads: its own, and the common ones that go with it.
func (r *composed) options() []Option {
	all := slices.Clone(r.Options)
	for _, c := range common {
		if slices.ContainsFunc(all, func(o Option) bool { return o.Name == c.Name }) {
			continue
		}
		o := c.on
		o.Recipe = r.Name
		r.defaults(&o)
		if len(clash(r.pieces(o))) == 0 {
			all = append(all, c.Option)
		}
	}
	return all
}

// switches puts in what options add to any recipe, after the recipe has filled the sockets.
func (m *Machine) switches() {
	if m.options.Schedule.Kind != "" {
		m.timetable = &timetable{}
	}
	if m.options.Share == BySpeed {
		m.division = &division{told: map[Peer]Speed{}, stale: true}
	}
	if m.options.Robust != "" {
		m.shield = &shield{rule: m.options.Robust, attackers: m.options.Attackers}
	}
	if m.options.Codec.Kind != vec.Dense {
		m.link = &framed{codec: m.options.Codec}
	}
}
