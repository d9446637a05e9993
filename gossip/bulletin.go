package gossip

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/peer"
	"go.uber.org/zap"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/wire"
)

// bulletin is the topic on which members announce themselves and tell their progress. Messages are
// signed by their authors and spread from peer to peer.
type bulletin struct {
	mesh      *Mesh
	topic     *pubsub.Topic
	sub       *pubsub.Subscription
	events    *pubsub.TopicEventHandler
	summaries chan wire.Summary // holds the latest one
	announce  chan struct{}     // asks for an announcement now
	random    *rand.Rand        // of publish alone
}

// announceShare is the least time between announcements of any two members: it bounds what the topic
// costs everybody, whatever the size of the mesh.
const announceShare = 100 * time.Millisecond

// announceGap is the least time between two announcements of one member, however often it is asked; in
// a large mesh it is a part of the period.
const announceGap = time.Second

// silentPeriods is the number of announcements a member may miss before it is gone.
const silentPeriods = 5

// startBulletin joins the topic and begins to speak and listen there.
func (m *Mesh) startBulletin() (err error) {
	if m.bulletin, err = m.openBulletin(); err != nil {
		return err
	}
	for _, run := range []func(){m.bulletin.listen, m.bulletin.publish, m.bulletin.watch} {
		m.begin(run)
	}
	return nil
}

func (m *Mesh) openBulletin() (*bulletin, error) {
	router, err := pubsub.NewGossipSub(m.ctx, m.host,
		pubsub.WithMessageSignaturePolicy(pubsub.StrictSign),
		pubsub.WithMaxMessageSize(2*wire.MaxControl),
		pubsub.WithLogger(slog.New(slog.DiscardHandler)),
		pubsub.WithRPCLogger(slog.New(slog.DiscardHandler)),
	)
	if err != nil {
		return nil, fmt.Errorf("start the control topic: %w", err)
	}
	name := "starling/1/" + m.format.Run.String()
	if err := router.RegisterTopicValidator(name, m.validate, pubsub.WithValidatorInline(true)); err != nil {
		return nil, fmt.Errorf("start the control topic: %w", err)
	}
	c := &bulletin{
		mesh:      m,
		summaries: make(chan wire.Summary, 1),
		announce:  make(chan struct{}, 1),
		random:    seed.Stream(0, "bulletin", string(m.ID())),
	}
	if c.topic, err = router.Join(name); err != nil {
		return nil, fmt.Errorf("join the control topic: %w", err)
	}
	if c.sub, err = c.topic.Subscribe(); err != nil {
		return nil, fmt.Errorf("subscribe to the control topic: %w", err)
	}
	if c.events, err = c.topic.EventHandler(); err != nil {
		return nil, fmt.Errorf("follow the control topic: %w", err)
	}
	return c, nil
}

// validate keeps bad messages from being passed on; what it decoded travels with the message.
func (m *Mesh) validate(_ context.Context, from peer.ID, message *pubsub.Message) pubsub.ValidationResult {
	packet, err := m.format.Decode(message.Data)
	if err != nil {
		m.counters.reject(wire.Schema)
		m.log.Debug("bad message on the control topic", zap.Stringer("via", from), zap.Error(err))
		return pubsub.ValidationReject
	}
	run := wire.Hash{}
	switch packet := packet.(type) {
	case wire.Announce:
		run = packet.Run
	case wire.Summary:
		run = packet.Run
	}
	if run != m.format.Run {
		m.counters.reject(wire.Token)
		return pubsub.ValidationReject
	}
	message.ValidatorData = packet
	return pubsub.ValidationAccept
}

// listen takes what other members publish.
func (c *bulletin) listen() {
	for {
		message, err := c.sub.Next(c.mesh.ctx)
		if err != nil {
			return
		}
		author := message.GetFrom()
		if author == c.mesh.host.ID() {
			continue
		}
		c.mesh.counters.receivedControl.Add(int64(len(message.Data)))
		switch packet := message.ValidatorData.(type) {
		case wire.Announce:
			c.mesh.heardAnnounce(author, packet)
		case wire.Summary:
			from := consensus.Peer(author.String())
			heard := Heard{From: from, Summary: packet}
			c.mesh.queue.replace(heardKey(from), func(Event) Event { return heard })
		}
	}
}

// heardKey is the key under which summaries of one member replace each other.
type heardKey consensus.Peer

// publish announces this peer and its summaries in time, and drops members that fell silent.
func (c *bulletin) publish() {
	due := time.NewTimer(0)
	defer due.Stop()
	progress := time.NewTimer(0)
	defer progress.Stop()
	var summary *wire.Summary
	var announced time.Time
	for {
		select {
		case <-c.mesh.ctx.Done():
			return
		case s := <-c.summaries:
			summary = &s
		case <-c.announce:
			due.Reset(max(0, max(announceGap, c.period()/silentPeriods)-time.Since(announced)) + c.upTo(announceShare))
		case <-due.C:
			c.mesh.expire(silentPeriods * c.period())
			c.send(c.mesh.announcement(false))
			announced = time.Now()
			due.Reset(c.jitter(c.period()))
		case <-progress.C:
			if summary != nil {
				c.send(*summary)
				summary = nil
			}
			progress.Reset(c.jitter(c.period() / 3))
		}
	}
}

func (c *bulletin) jitter(d time.Duration) time.Duration { return d*3/4 + c.upTo(d/2) }

func (c *bulletin) upTo(d time.Duration) time.Duration {
	return time.Duration(c.random.Int64N(int64(d) + 1))
}

// period is the time between two announcements of this peer.
func (c *bulletin) period() time.Duration {
	return max(c.mesh.timing.AnnounceEvery, announceShare*time.Duration(c.mesh.roster.size()))
}

func (c *bulletin) send(packet wire.Packet) {
	message, err := c.mesh.format.Append(nil, packet)
	if err == nil {
		err = c.topic.Publish(c.mesh.ctx, message)
	}
	if err != nil && c.mesh.ctx.Err() == nil {
		c.mesh.log.Warn("cannot publish on the control topic", zap.Error(err))
		return
	}
	c.mesh.counters.sentControl.Add(int64(len(message)))
}

// watch announces this peer soon when another one appears on the topic next to it, since what was
// said before did not reach that one.
func (c *bulletin) watch() {
	for {
		neighbour, err := c.events.NextPeerEvent(c.mesh.ctx)
		if err != nil {
			return
		}
		if neighbour.Type == pubsub.PeerJoin {
			c.announceNow()
		}
	}
}

func (c *bulletin) announceNow() {
	select {
	case c.announce <- struct{}{}:
	default:
	}
}

// announcement is what this peer tells about itself.
func (m *Mesh) announcement(leaving bool) wire.Announce {
	a := wire.Announce{Run: m.format.Run, Name: m.config.Hello.Name, Leaving: leaving}
	for _, addr := range m.host.Addrs() {
		if s := addr.String(); len(a.Addrs) < wire.MaxAddresses && len(s) <= wire.MaxAddress {
			a.Addrs = append(a.Addrs, s)
		}
	}
	return a
}
