package gossip

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Close says goodbye to the neighbours and ends everything that Open started. It takes at most about
// a second, whatever the peers do.
func (m *Mesh) Close() error { return m.end(true) }

// Kill is Close without a word to anybody: the neighbours see what they see when a process is killed.
func (m *Mesh) Kill() error { return m.end(false) }

func (m *Mesh) end(polite bool) error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil
	}
	m.closed = true
	links := slices.Collect(maps.Values(m.links))
	m.mu.Unlock()

	if polite {
		close(m.leaving)
		m.sayLeaving()
		awaitGoodbyes(links)
	}
	m.cancel()
	m.queue.close()
	for _, l := range links {
		l.close(DownRewired)
	}
	var errs []error
	if m.mdns != nil {
		errs = append(errs, m.mdns.Close())
	}
	errs = append(errs, m.host.Close())
	m.wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close mesh: %w", err)
	}
	return nil
}

// sayLeaving tells the members that are not neighbours.
func (m *Mesh) sayLeaving() {
	if m.bulletin != nil && len(m.bulletin.topic.ListPeers()) > 0 {
		m.bulletin.send(m.announcement(true))
	}
}

// awaitGoodbyes waits until the links have said goodbye and the neighbours have taken it, or are too
// slow for that.
func awaitGoodbyes(links []*link) {
	var wg sync.WaitGroup
	for _, l := range links {
		l.mu.Lock()
		s := l.session
		l.mu.Unlock()
		if s == nil || !s.wasUp() {
			continue
		}
		wg.Go(func() {
			select {
			case <-s.done:
			case <-time.After(byePatience):
			}
		})
	}
	wg.Wait()
}
