package settings

import (
	"fmt"

	"github.com/starling-ml/starling/train/data"
)

// Partition is which part of the training samples a peer gets.
type Partition struct {
	// Partition is iid, dirichlet (each class in random shares) or shards (a few pieces of the samples
	// sorted by class). It is of the whole run.
	Partition PartitionKind `yaml:"partition,omitempty"`
	// Alpha is the evenness of dirichlet: 0.1 leaves most peers without most classes, 100 is nearly iid.
	Alpha float64 `yaml:"alpha,omitempty" jsonschema:"minimum=0.001,maximum=1000000"`
	// Pieces is the number of pieces a peer gets with shards; 0: 2.
	Pieces int `yaml:"pieces,omitempty" jsonschema:"minimum=0,maximum=1000"`
	// OnlyClasses are classes that the peer owns: every sample of them moves to the peers that list them.
	OnlyClasses []Word `yaml:"only_classes,omitempty"`
}

// PartitionKind is the name of a partition.
type PartitionKind string

// Choices lists the partitions.
func (PartitionKind) Choices() []string { return data.PartitionKinds() }

// Deal is the partition as train/data reads it.
func (p Partition) Deal() data.Partition {
	return data.Partition{
		Kind: string(p.Partition), Alpha: p.Alpha, Pieces: p.Pieces, OnlyClasses: Words(p.OnlyClasses),
	}
}

// Check reports what cannot be dealt.
func (p Partition) Check(d *Document, path string) { d.Check(path, p.Deal().Validate()) }

// CheckPooled reports data that are not the same for all peers under share: speed, which divides them anew.
func (t Train) CheckPooled(d *Document, train, path string, p Partition) {
	if t.Share != "" && !p.Deal().Pooled() {
		d.Problem(join(train, "share"), fmt.Sprintf("%s divides data that all peers have, and %s deals them otherwise",
			t.Share, path), "leave out one of the two: partition and only_classes are for data that stay where they are")
	}
}
