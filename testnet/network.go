package testnet

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// NetworkFile is the file in the folder of a run that says which network ran. Its presence makes a folder
// that of a run.
const NetworkFile = "network.json"

// NetworkVersion is the version of the format of the file.
const NetworkVersion = 1

// Network is what ran, as far as it can be told before the start: with the event logs beside it, all that
// a report needs to know of one run.
type Network struct {
	V       int               `json:"v"`
	Name    string            `json:"name"` // of the manifest
	Recipe  string            `json:"recipe"`
	Seed    uint64            `json:"seed"`
	Sweep   map[string]string `json:"sweep,omitempty"`
	Runtime string            `json:"runtime"`
	Graph   string            `json:"topology"` // its name, for people
	Peers   []NetworkPeer     `json:"peers"`    // by vertex
	Edges   [][2]int          `json:"edges"`    // pairs of vertices
	// Metric and Target are what time_to_target_s is measured to; empty and 0: nothing.
	Metric string  `json:"target_metric,omitempty"`
	Target float64 `json:"target,omitempty"`
	// Length is the longest time that the run may take, in seconds.
	Length float64 `json:"length_s"`
}

// NetworkPeer is one peer of a network.
type NetworkPeer struct {
	Name string  `json:"name"`
	Step float64 `json:"step_s"` // typical time of a local step
	Slow bool    `json:"slow,omitempty"`
	Late bool    `json:"late,omitempty"` // it joins during the run
}

// network is the plan as the file holds it.
func (p *Plan) network() Network {
	n := Network{
		V: NetworkVersion, Name: p.Name, Recipe: p.Recipe, Seed: p.Seed, Sweep: p.Sweep, Runtime: string(p.Runtime),
		Graph: p.Kind, Metric: p.Stop.Metric, Target: p.Stop.Target, Length: p.Stop.Time.Seconds(), Edges: [][2]int{},
	}
	slow, late := p.Slow(), p.Late()
	for i := range p.Members {
		m := &p.Members[i]
		n.Peers = append(n.Peers, NetworkPeer{Name: m.Name, Step: m.Step().Seconds(), Slow: slow[i], Late: late[i]})
	}
	for _, e := range p.Graph.Edges() {
		n.Edges = append(n.Edges, [2]int{e.U, e.V})
	}
	return n
}

func writeNetwork(p *Plan) error {
	text, err := json.Marshal(p.network())
	if err != nil {
		return fmt.Errorf("describe the network: %w", err)
	}
	if err := os.WriteFile(filepath.Join(p.Dir, NetworkFile), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("describe the network: %w", err)
	}
	return nil
}

// ReadNetwork reads the file in the folder of a run.
func ReadNetwork(folder string) (Network, error) {
	var n Network
	text, err := os.ReadFile(filepath.Join(folder, NetworkFile))
	if err != nil {
		return n, err
	}
	if err := json.Unmarshal(text, &n); err != nil {
		return n, fmt.Errorf("read %s: %w", filepath.Join(folder, NetworkFile), err)
	}
	if n.V > NetworkVersion {
		return n, fmt.Errorf("%s is of version %d, and this program reads %d: use a newer one",
			filepath.Join(folder, NetworkFile), n.V, NetworkVersion)
	}
	for _, e := range n.Edges {
		if min(e[0], e[1]) < 0 || max(e[0], e[1]) >= len(n.Peers) {
			return n, fmt.Errorf("read %s: edge %v of %d peers", filepath.Join(folder, NetworkFile), e, len(n.Peers))
		}
	}
	return n, nil
}
