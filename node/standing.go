package node

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/starling-ml/starling/consensus"
)

// Standing is where a node stands and what it has done since it was opened: what testnets measure.
type Standing struct {
	Estimate
	Trained uint64 `json:"trained"` // local steps of the blocks that were not cancelled
	Lost    uint64 `json:"lost"`    // local steps that entered no average, cancelled ones included
	Rounds  uint64 `json:"rounds"`  // mixes at the end of a block
	// Waited is the time between the ends of blocks and the mixes that followed.
	Waited time.Duration `json:"waited_ns"`
	// Asked is the time that the pace asked for; Late is by how much it was missed.
	Asked time.Duration `json:"asked_ns"`
	Late  time.Duration `json:"late_ns"`
	// Influence is the share of each member in what is mixed here, as of the last mix.
	Influence []consensus.Influence `json:"influence"`
	Sent      uint64                `json:"sent_bytes"`
	Links     int                   `json:"links"` // neighbours that are up
}

// Overloaded tells whether paced steps took more than 1.3 times as long as asked for.
func (s Standing) Overloaded() bool { return missed(s.Late, s.Asked) }

// overloadedAt is by how much paced steps may miss their pace before times are not to be trusted.
const overloadedAt = 0.3

func missed(late, asked time.Duration) bool { return float64(late) > overloadedAt*float64(asked) }

// Standing may be called from any goroutine.
func (n *Node) Standing() Standing {
	s := n.account.read()
	s.Estimate = n.Estimate()
	sent, _ := n.Traffic()
	s.Sent = uint64(sent)
	s.Links = len(n.mesh.Stats().Neighbours)
	return s
}

// account adds up what the loop sees. Others read it.
type account struct {
	mu sync.Mutex
	Standing
}

func (a *account) read() Standing {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.Standing
	s.Influence = slices.Clone(s.Influence)
	return s
}

// block counts a block of the worker.
func (a *account) block(r result) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.Trained += uint64(r.Steps)
	a.Asked += r.asked
	a.Late += r.late
}

func (a *account) effect(effect consensus.Effect) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch e := effect.(type) {
	case consensus.Lost:
		a.Lost += uint64(e.Steps)
	case consensus.Mixed:
		a.Waited += time.Duration(e.Waited)
		if !e.MidBlock {
			a.Rounds++
		}
		a.Influence = append(a.Influence[:0], e.Influence...) // the core reuses it
	}
}

// Write writes a line of JSON and the parameters as little-endian float32.
func (s Standing) Write(w io.Writer) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	for _, x := range s.Params {
		line, _ = binary.Append(line, binary.LittleEndian, x) // a float always fits
	}
	_, err = w.Write(line)
	return err
}

// maxStandingLine bounds the line of a standing: a share of each of some thousand members.
const maxStandingLine = 1 << 20

// ReadStanding reads what Write wrote about a model of some parameters.
func ReadStanding(r io.Reader, params int) (Standing, error) {
	limit := int64(maxStandingLine + 4*params)
	in := bufio.NewReader(io.LimitReader(r, limit))
	var s Standing
	line, err := in.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &s)
	}
	if err != nil {
		return s, fmt.Errorf("read a standing: %w", err)
	}
	s.Params = make([]float32, params)
	if err := binary.Read(in, binary.LittleEndian, s.Params); err != nil {
		return s, fmt.Errorf("read the %d parameters of a standing: %w", params, err)
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return s, fmt.Errorf("read a standing: it has more than %d parameters", params)
	}
	return s, nil
}
