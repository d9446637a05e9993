package data

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/train/draw"
)

// minShard is the least number of samples that a random partition leaves a peer with.
const minShard = 16

// Deal gives each peer its part of the samples: disjoint shards that together are all of them. Equal
// arguments give equal shards on every machine.
func Deal(all Shard, parts []Partition, root uint64) ([]Shard, error) {
	shards, err := deal(all, parts, root)
	return shards, Unusable(err)
}

func deal(all Shard, parts []Partition, root uint64) ([]Shard, error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("no peers to deal %d samples to", all.Len())
	}
	first := parts[0]
	for i, p := range parts {
		if err := p.Validate(); err != nil {
			return nil, fmt.Errorf("peer %d: %w", i, err)
		}
		if p.kind() != first.kind() || p.Alpha != first.Alpha || p.pieces() != first.pieces() {
			return nil, fmt.Errorf("peer %d has another partition, alpha or pieces than peer 0: "+
				"they are of the whole run", i)
		}
	}
	d := dealer{all: all, hands: make([][]int32, len(parts)), order: seed.Stream(root, "deal")}
	if err := d.deal(first); err != nil {
		return nil, err
	}
	if err := d.claim(parts); err != nil {
		return nil, err
	}
	shards := make([]Shard, len(parts))
	for i, hand := range d.hands {
		if len(hand) == 0 {
			return nil, fmt.Errorf("peer %d gets none of %d samples: use fewer peers, or own fewer classes",
				i, all.Len())
		}
		shards[i] = Shard{all.Set, hand}
	}
	return shards, nil
}

// dealer holds rows of the set: those not dealt are nowhere.
type dealer struct {
	all   Shard
	hands [][]int32 // by peer
	order *rand.Rand
}

func (d *dealer) deal(p Partition) error {
	rows := slices.Clone(d.all.rows)
	d.order.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	switch p.kind() {
	case "dirichlet":
		return d.dealShares(rows, p.Alpha)
	case "shards":
		return d.dealPieces(rows, p.pieces())
	}
	d.dealOneByOne(rows)
	return nil
}

func (d *dealer) dealOneByOne(rows []int32) {
	for i, row := range rows {
		to := i % len(d.hands)
		d.hands[to] = append(d.hands[to], row)
	}
}

// dealShares deals each class in shares of its own, then helps peers that got too little.
func (d *dealer) dealShares(rows []int32, alpha float64) error {
	classes := len(d.all.Classes)
	if classes == 0 {
		return fmt.Errorf("partition dirichlet needs classes, and %s is a regression: use iid or shards", d.all.Name)
	}
	byClass := make([][]int32, classes)
	for _, row := range rows {
		class := int(d.all.y[row])
		byClass[class] = append(byClass[class], row)
	}
	for _, rows := range byClass {
		from, sum := 0, 0.0
		for peer, share := range draw.Dirichlet(d.order, len(d.hands), alpha) {
			sum += share
			to := int(math.Round(float64(sum * float64(len(rows)))))
			if peer == len(d.hands)-1 {
				to = len(rows)
			}
			d.hands[peer] = append(d.hands[peer], rows[from:to]...)
			from = to
		}
	}
	return d.top()
}

// top moves random samples from the richest peer to peers below the minimum.
func (d *dealer) top() error {
	if len(d.hands)*minShard > d.all.Len() {
		return fmt.Errorf("partition dirichlet leaves each peer %d samples or more: %d are too few for %d peers",
			minShard, d.all.Len(), len(d.hands))
	}
	for peer := range d.hands {
		for len(d.hands[peer]) < minShard {
			richest := 0
			for i, hand := range d.hands {
				if len(hand) > len(d.hands[richest]) {
					richest = i
				}
			}
			at := d.order.IntN(len(d.hands[richest]))
			d.hands[peer] = append(d.hands[peer], d.hands[richest][at])
			d.hands[richest] = slices.Delete(d.hands[richest], at, at+1)
		}
	}
	return nil
}

// dealPieces deals contiguous pieces of the samples in the order of their class or target.
func (d *dealer) dealPieces(rows []int32, each int) error {
	pieces := each * len(d.hands)
	if pieces > len(rows) {
		return fmt.Errorf("partition shards makes %d pieces of %d samples: use fewer pieces or peers",
			pieces, len(rows))
	}
	slices.SortStableFunc(rows, func(a, b int32) int {
		return cmp.Compare(d.all.y[a], d.all.y[b])
	})
	for i, piece := range d.order.Perm(pieces) {
		peer := i % len(d.hands)
		from, to := piece*len(rows)/pieces, (piece+1)*len(rows)/pieces
		d.hands[peer] = append(d.hands[peer], rows[from:to]...)
	}
	return nil
}

// claim moves the samples of owned classes to their owners, in turn when there are several.
func (d *dealer) claim(parts []Partition) error {
	owners := make([][]int, len(d.all.Classes))
	for peer, p := range parts {
		for _, name := range p.OnlyClasses {
			class, err := d.all.Class(name)
			if err != nil {
				return fmt.Errorf("peer %d, only_classes: %w", peer, err)
			}
			owners[class] = append(owners[class], peer)
		}
	}
	if len(owners) == 0 {
		return nil
	}
	var moved []int32
	for peer, hand := range d.hands {
		d.hands[peer] = slices.DeleteFunc(hand, func(row int32) bool {
			owned := len(owners[int(d.all.y[row])]) > 0
			if owned {
				moved = append(moved, row)
			}
			return owned
		})
	}
	for i, row := range moved {
		to := owners[int(d.all.y[row])]
		peer := to[i%len(to)]
		d.hands[peer] = append(d.hands[peer], row)
	}
	return nil
}
