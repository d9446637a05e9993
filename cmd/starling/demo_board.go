package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/internal/build"
	"github.com/starling-ml/starling/testnet"
	"github.com/starling-ml/starling/testnet/demo"
	"github.com/starling-ml/starling/train/task"
)

// board shows how the lanes are doing: a table that is redrawn in place on a terminal, a line for each
// lane every two seconds elsewhere, and the table of the results at the end.
type board struct {
	config   demo.Config
	out      io.Writer // of the table
	progress io.Writer // of the lines
	live     bool      // the table is redrawn
	width    int       // of the terminal; its rows are cut, because a broken one cannot be drawn over
	quiet    bool      // no table at all
	paint    palette

	mu      sync.Mutex
	moments []*testnet.Moment // the last one of each lane; nil: it has not begun
	told    []time.Time
	drawn   int  // lines of the table on the terminal
	touched bool // somebody pressed a key
	current int  // lane
}

// leastWidth is the width of a terminal on which the table says enough. A narrower one gets the lines that a
// pipe gets.
const leastWidth = 72

func newBoard(cmd *cobra.Command, c demo.Config, quiet bool) *board {
	width := columns(cmd.OutOrStdout())
	return &board{
		config: c, out: cmd.OutOrStdout(), progress: cmd.ErrOrStderr(), paint: paletteOf(cmd), quiet: quiet,
		live: !quiet && c.Runtime != testnet.VirtualTime && width >= leastWidth, width: width,
		moments: make([]*testnet.Moment, len(c.Lanes)), told: make([]time.Time, len(c.Lanes)),
	}
}

// head says what is going to run.
func (b *board) head(plan *testnet.Plan, asked time.Duration) error {
	t, err := task.Load(plan.Task)
	if err != nil {
		return err
	}
	c, slow := b.config, b.config.SlowPeer()
	where := "libp2p on 127.0.0.1"
	if c.Runtime == testnet.VirtualTime {
		where = "virtual clock"
	}
	fmt.Fprintf(b.out, "starling %s   %d peers on this machine, %s\n", build.Version, c.Peers, where)
	fmt.Fprintf(b.out, "task      handwritten digits (%s images in the binary), MLP, %s parameters\n",
		thousands(t.Train().Len()+t.Test().Len()), thousands(t.Size()))
	pace := fmt.Sprintf("pace      %s per step", spell(c.Pace))
	if c.Slow > 1 {
		fmt.Fprintf(b.out, "straggler peer %d is %gx slower and is the only one with images of the digit %s\n",
			slow, c.Slow, demo.Class)
		pace += fmt.Sprintf(" (%s for peer %d)", spell(time.Duration(float64(c.Pace)*c.Slow)), slow)
	} else {
		fmt.Fprintf(b.out, "straggler none; peer %d is the only one with images of the digit %s\n", slow, demo.Class)
	}
	if c.Pace != asked {
		pace += fmt.Sprintf("; this machine does not keep %s", spell(asked))
	}
	fmt.Fprintln(b.out, pace)
	if c.Runtime == testnet.VirtualTime {
		_, err = fmt.Fprintln(b.out)
		return err
	}
	kept := "nothing is kept"
	if c.Dir != "" {
		kept = "the event logs are in " + c.Dir
	}
	_, err = fmt.Fprintf(b.out, "lanes     one after the other, %s each   stop: Ctrl-C (%s)\n\n", spell(c.Length), kept)
	return err
}

// thousands writes a number with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// spell writes a time for people.
func spell(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%g ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%g s", d.Seconds())
}

// lineEvery is the time between two lines about a lane.
const lineEvery = 2 * time.Second

// moment is told of every evaluation of a lane.
func (b *board) moment(lane int, m testnet.Moment) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.moments[lane], b.current = &m, lane
	now := time.Now()
	switch {
	case b.config.Runtime == testnet.VirtualTime:
	case b.live && now.Sub(b.told[lane]) >= lineEvery/10:
		b.told[lane] = now
		b.draw(b.rows(nil))
	case !b.live && now.Sub(b.told[lane]) >= lineEvery:
		b.told[lane] = now
		fmt.Fprintf(b.progress, "%s  %.1f s  accuracy %.3f  recall(%s) %.3f  %.0f steps/s  waits %.0f %%\n",
			b.config.Lanes[lane].String(), m.At, m.Accuracy, demo.Class, m.Recall[demo.Class], m.StepRate, 100*m.Waiting)
	}
}

// draw writes the table, on a terminal over the one before.
func (b *board) draw(rows []string) {
	if b.drawn > 0 {
		fmt.Fprintf(b.out, "\x1b[%dA", b.drawn)
	}
	for i, row := range rows {
		if b.live {
			row = clip(row, b.width)
		}
		if i == 0 {
			row = b.paint.bold(row)
		}
		if b.live {
			row = "\r\x1b[K" + row
			b.drawn = len(rows)
		}
		fmt.Fprintln(b.out, row)
	}
}

// rows is the table: of outcomes where there are some, else of the moments.
func (b *board) rows(outcomes []demo.Outcome) []string {
	head := fmt.Sprintf("%-32s %8s %9s %7s %7s  to %.0f %%", "", "accuracy", "recall("+demo.Class+")", "steps/s",
		"waiting", 100*demo.Target)
	rows := []string{head}
	for i, lane := range b.config.Lanes {
		title := fmt.Sprintf("%-32s", lane.Title())
		switch m := b.moments[i]; {
		case outcomes != nil:
			o := outcomes[i]
			rows = append(rows, title+figures(o.Accuracy, o.Recall[demo.Class], o.StepRate, o.WaitingRatio)+b.when(o))
		case m != nil:
			rows = append(rows, title+figures(m.Accuracy, m.Recall[demo.Class], m.StepRate, m.Waiting)+
				fmt.Sprintf("  at %.1f s", m.At))
		default:
			rows = append(rows, title+strings.Repeat(" ", 6)+"waits for its turn")
		}
	}
	return rows
}

func figures(accuracy, recall, rate, waiting float64) string {
	return fmt.Sprintf(" %8.3f %9.3f %7.0f %5.0f %%", accuracy, recall, rate, 100*waiting)
}

// when tells when a lane reached the target.
func (b *board) when(o demo.Outcome) string {
	text := fmt.Sprintf("  not in %s", spell(b.config.Length))
	if o.TimeToTarget != nil {
		text = fmt.Sprintf("  %.1f s", *o.TimeToTarget)
	}
	if o.Overloaded {
		text += " (overloaded)"
	}
	return text
}

// whole is a width that cuts nothing.
const whole = 1 << 20

// end prints the results, what they show, and what to try next.
func (b *board) end(outcomes []demo.Outcome, took time.Duration) error {
	b.width = whole // nothing is drawn over this table
	b.draw(b.rows(outcomes))
	same := "all lanes had the same seed, data split and step times."
	if b.touched {
		same = "keys were pressed: the lanes are not comparable."
	}
	if b.config.Runtime != testnet.VirtualTime {
		same = fmt.Sprintf("%.1f s elapsed; %s", took.Seconds(), same)
	}
	fmt.Fprintf(b.out, "\n%s\n", same)
	if !b.touched {
		for i, lane := range b.config.Lanes {
			fmt.Fprintf(b.out, "%s\n  %s\n", lane.Title(), b.config.Verdict(outcomes, i))
		}
	}
	_, err := fmt.Fprint(b.out, demoNext)
	return err
}

const demoNext = `
next   starling demo --slow 1x          no straggler
       starling demo --kill 5@4s        kill a peer while it trains
       starling recipes                 the other ways to wait and mix
       starling testnet init            write a network as a file you can edit
       starling agent init              run a peer of your own
`
