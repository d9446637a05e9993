package node

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/node/checkpoint"
	"github.com/starling-ml/starling/observe"
)

// Files of a checkpoint.
const (
	modelFile   = checkpoint.ModelFile
	vectorsFile = "vectors.safetensors" // all other vectors of the core
	machineFile = "machine.json"
	trainerFile = "trainer.bin"
)

// estimateVector is the vector of the core's state that the model file holds.
const estimateVector = "estimate"

// snapshot is a peer between two blocks. Nothing in it is written again.
type snapshot struct {
	state   consensus.State
	trainer []byte
}

func (n *Node) snapshot() (snapshot, error) {
	trainer, err := n.worker.state()
	return snapshot{state: n.machine.State(), trainer: trainer}, err
}

// save writes a checkpoint. It runs beside the loop.
func (n *Node) save(s snapshot) observe.Checkpoint {
	began := time.Now()
	done := observe.Checkpoint{Step: s.state.Steps, Outcome: "ok"}
	machine, err := json.Marshal(s.state)
	if err == nil {
		var saved checkpoint.Saved
		saved, err = n.store.Save(n.manifest(s), n.modelContent(s), vectorsContent(s),
			checkpoint.Bytes(machineFile, machine), checkpoint.Bytes(trainerFile, s.trainer))
		done.Bytes = saved.Bytes
	}
	if err != nil {
		done.Outcome, done.Error = "failed", err.Error()
	}
	done.Took = observe.Number(time.Since(began).Seconds())
	return done
}

func (n *Node) manifest(s snapshot) checkpoint.Manifest {
	return checkpoint.Manifest{
		Run: n.config.Run, Peer: string(n.ID()), Signature: n.signature().Hash().String(),
		Recipe: string(n.config.Train.Recipe), Seed: n.config.Train.Seed,
		Round: s.state.Round, Steps: s.state.Steps, Saved: time.Now().UTC(),
	}
}

func (n *Node) modelContent(s snapshot) checkpoint.File {
	values := s.state.Vectors[estimateVector]
	var tensors []checkpoint.Tensor
	for _, t := range n.task.Tensors() {
		size := 1
		for _, d := range t.Shape {
			size *= d
		}
		tensors = append(tensors, checkpoint.Tensor{Name: t.Name, Shape: t.Shape, Values: values[:size]})
		values = values[size:]
	}
	return checkpoint.File{Name: modelFile, Write: func(out io.Writer) error {
		return checkpoint.WriteTensors(out, tensors, map[string]string{"run": n.config.Run, "format": "pt"})
	}}
}

func vectorsContent(s snapshot) checkpoint.File {
	var tensors []checkpoint.Tensor
	for _, name := range slices.Sorted(maps.Keys(s.state.Vectors)) {
		if name != estimateVector {
			v := s.state.Vectors[name]
			tensors = append(tensors, checkpoint.Tensor{Name: name, Shape: []int{len(v)}, Values: v})
		}
	}
	return checkpoint.File{Name: vectorsFile, Write: func(out io.Writer) error {
		return checkpoint.WriteTensors(out, tensors, nil)
	}}
}

// resume makes the machine from the newest valid checkpoint, or a new one.
func (n *Node) resume(c consensus.Config) (*consensus.Machine, error) {
	if n.store == nil {
		return consensus.New(c)
	}
	if n.config.Checkpoint.Fresh {
		if count, err := n.store.PutAside(); err != nil {
			return nil, err
		} else if count > 0 {
			n.options.Say("fresh      %d earlier checkpoints were put aside", count)
		}
	}
	loaded, skipped, err := n.store.Latest(checkpoint.Wanted{
		Run: n.config.Run, Peer: string(n.ID()), Signature: n.signature().Hash().String(),
	})
	for _, s := range skipped {
		n.options.Say("%s", s)
	}
	if err != nil {
		return nil, err
	}
	if loaded == nil {
		return consensus.New(c)
	}
	return n.restore(c, loaded)
}

func (n *Node) restore(c consensus.Config, loaded *checkpoint.Loaded) (*consensus.Machine, error) {
	var s consensus.State
	machine, err := loaded.ReadAll(machineFile)
	if err == nil {
		err = json.Unmarshal(machine, &s)
	}
	if err == nil {
		s.Vectors, err = n.vectors(loaded)
	}
	if err == nil {
		var state []byte
		if state, err = loaded.ReadAll(trainerFile); err == nil {
			err = n.worker.trainer.Restore(state)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("resume from %s: %w; set checkpoint.fresh: true to start anew", loaded.Name, err)
	}
	c.Join = false
	n.options.Say("resumed    %s at step %d, round %d", loaded.Name, s.Steps, s.Round)
	return consensus.Restore(c, s)
}

// vectors reads the model and the other vectors of the core. Vectors of another length than the
// model's belong to nothing the core could use.
func (n *Node) vectors(loaded *checkpoint.Loaded) (map[string][]float32, error) {
	vectors := map[string][]float32{}
	err := loaded.Read(modelFile, func(r io.Reader, size int64) error {
		tensors, _, err := checkpoint.ReadTensors(r, size)
		if err != nil {
			return err
		}
		vectors[estimateVector], err = checkpoint.Flatten(tensors, n.task.Tensors())
		return err
	})
	if err != nil {
		return nil, err
	}
	return vectors, loaded.Read(vectorsFile, func(r io.Reader, size int64) error {
		tensors, _, err := checkpoint.ReadTensors(r, size)
		for _, t := range tensors {
			if len(t.Values) != n.task.Size() {
				return fmt.Errorf("%s has %d values, the model has %d", t.Name, len(t.Values), n.task.Size())
			}
			vectors[t.Name] = t.Values
		}
		return err
	})
}

// diskHint tells what to do about a checkpoint that could not be written.
func diskHint(text string) string {
	if strings.Contains(text, "no space left") {
		return "training goes on; free some space or set checkpoint.dir"
	}
	return "training goes on; look at checkpoint.dir"
}
