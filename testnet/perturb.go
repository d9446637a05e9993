package testnet

import (
	"fmt"
	"time"
)

// actions resolves the schedule for the peers of a plan.
func (l *Loaded) actions(choose *chooser, members []Member) ([]Action, error) {
	var all []Action
	for i := range l.Schedule {
		p := &l.Schedule[i]
		line := l.Document.Line(fmt.Sprintf("schedule.%d.do", i))
		for _, at := range p.times(l.Train.Stop.Time.Std()) {
			actions, err := l.happen(i, at, choose, members)
			if err != nil {
				return nil, err
			}
			for _, a := range actions {
				a.Line = line
				all = append(all, a)
			}
		}
	}
	return inOrder(all), nil
}

// happen returns what a line of the schedule does at one time.
func (l *Loaded) happen(i int, at time.Duration, choose *chooser, members []Member) ([]Action, error) {
	p := &l.Schedule[i]
	if p.Do == Partition {
		return p.cut(at, choose)
	}
	peers, err := choose.choose(p.Peers)
	if err != nil {
		return nil, err
	}
	if p.Do != Relink {
		return p.expand(at, peers), nil
	}
	var actions []Action
	for _, peer := range peers {
		before := members[peer].Link
		after := before
		l.Document.Overlay(fmt.Sprintf("schedule.%d.link", i), &after)
		actions = append(actions, Action{At: at, Do: Relink, Peer: peer, Link: &after})
		if p.For > 0 {
			actions = append(actions, Action{At: at + p.For.Std(), Do: Relink, Peer: peer, Link: &before})
		}
	}
	return actions, nil
}

// expand returns what is done to some peers at a time, and what ends it.
func (p *Perturbation) expand(at time.Duration, peers []int) []Action {
	var actions []Action
	add := func(at time.Duration, do Deed, factor float64) {
		for _, peer := range peers {
			actions = append(actions, Action{At: at, Do: do, Peer: peer, Factor: factor, Fresh: p.Fresh})
		}
	}
	add(at, p.Do, float64(p.Compute))
	switch {
	case p.Do == Slow && p.For > 0:
		add(at+p.For.Std(), Slow, 1)
	case p.Do == Pause && p.For > 0:
		add(at+p.For.Std(), Resume, 0)
	case p.Do == Kill && p.RestartAfter > 0:
		add(at+p.RestartAfter.Std(), Restart, 0)
	}
	return actions
}

// cut puts every group of a partition on a side of its own.
func (p *Perturbation) cut(at time.Duration, choose *chooser) ([]Action, error) {
	var actions []Action
	side := map[int]int{}
	for i, group := range p.Groups {
		peers, err := choose.choose(group)
		if err != nil {
			return nil, err
		}
		for _, peer := range peers {
			if before := side[peer]; before > 0 {
				return nil, fmt.Errorf("peer %d is in two groups; leave it out of one", peer)
			}
			side[peer] = i + 1
			actions = append(actions, Action{At: at, Do: Partition, Peer: peer, Side: i + 1})
		}
	}
	if p.For == 0 {
		return actions, nil
	}
	for _, a := range actions {
		actions = append(actions, Action{At: at + p.For.Std(), Do: Partition, Peer: a.Peer})
	}
	return actions, nil
}

// Late tells, by vertex, which peers are not there at the start: the first that happens to them is that
// they join.
func (p *Plan) Late() []bool {
	late, seen := make([]bool, len(p.Members)), make([]bool, len(p.Members))
	for _, a := range p.Actions {
		late[a.Peer] = late[a.Peer] || !seen[a.Peer] && a.Do == Join
		seen[a.Peer] = seen[a.Peer] || a.Do != Slow && a.Do != Relink && a.Do != Partition
	}
	return late
}
