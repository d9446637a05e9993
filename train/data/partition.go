package data

import (
	"fmt"
	"slices"
	"strings"
)

// Partition says which part of the training samples one peer gets.
type Partition struct {
	// Kind is the same for all peers of a run: iid (also "") deals shuffled samples one by one;
	// dirichlet gives each class to the peers in random shares; shards sorts the samples by class and
	// gives each peer a few contiguous pieces.
	Kind string `json:"partition,omitempty" yaml:"partition,omitempty"`
	// Alpha is the evenness of dirichlet: 0.1 leaves most peers without most classes, 100 is nearly iid.
	Alpha float64 `json:"alpha,omitempty" yaml:"alpha,omitempty"`
	// Pieces is the number of pieces a peer gets with shards; 0: 2.
	Pieces int `json:"pieces,omitempty" yaml:"pieces,omitempty"`
	// OnlyClasses names classes that this peer owns: whatever Kind dealt, every sample of them moves to
	// the peers that list them. The peer keeps what it has of other classes.
	OnlyClasses []string `json:"only_classes,omitempty" yaml:"only_classes,omitempty"`
}

// PartitionKinds lists the values of Partition.Kind.
func PartitionKinds() []string { return []string{"iid", "dirichlet", "shards"} }

// Validate checks the kind, 0.001 <= Alpha <= 1e6 for dirichlet and 0 <= Pieces <= 1000.
func (p Partition) Validate() error {
	if p.kind() == "dirichlet" && !(p.Alpha >= 0.001 && p.Alpha <= 1e6) {
		return fmt.Errorf("alpha %g of partition dirichlet: must be in 0.001 to 1e6, for example 0.5", p.Alpha)
	}
	if p.Pieces < 0 || p.Pieces > 1000 {
		return fmt.Errorf("pieces %d of a partition: must be in 0 to 1000", p.Pieces)
	}
	if !slices.Contains(PartitionKinds(), p.kind()) {
		return fmt.Errorf("unknown partition %q: known are %s", p.Kind, strings.Join(PartitionKinds(), ", "))
	}
	return nil
}

// Pooled tells whether peers that get such a part could as well share all samples: it is like any other.
func (p Partition) Pooled() bool { return p.kind() == "iid" && len(p.OnlyClasses) == 0 }

func (p Partition) kind() string {
	if p.Kind == "" {
		return "iid"
	}
	return p.Kind
}

func (p Partition) pieces() int {
	if p.Pieces == 0 {
		return 2
	}
	return p.Pieces
}
