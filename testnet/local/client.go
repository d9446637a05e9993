package local

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/starling-ml/starling/node"
	"github.com/starling-ml/starling/train/task"
)

// client talks to the peers of a site over their control endpoints.
type client struct {
	http   *http.Client
	site   *site
	params int // of the model
}

// answerWithin is how long a peer may take to answer: one that is stuck must not hold up the others.
const answerWithin = time.Second

func newClient(s *site) (*client, error) {
	t, err := task.Load(s.plan.Task)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 2}
	return &client{http: &http.Client{Transport: transport, Timeout: answerWithin}, site: s, params: t.Size()}, nil
}

func (c *client) url(vertex int, path string) string {
	return fmt.Sprintf("http://127.0.0.1:%d%s", c.site.https[vertex], path)
}

// standing asks a peer where it stands; nil: it does not answer now.
func (c *client) standing(ctx context.Context, vertex int) *node.Standing {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url(vertex, node.StandingPath), http.NoBody)
	if err != nil {
		return nil
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil
	}
	standing, err := node.ReadStanding(response.Body, c.params)
	if err != nil {
		return nil
	}
	return &standing
}

// slow makes the steps of a peer longer.
func (c *client) slow(ctx context.Context, vertex int, factor float64) error {
	query := url.Values{"factor": {fmt.Sprint(factor)}}
	target := c.url(vertex, node.ComputePath) + "?" + query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, http.NoBody)
	if err != nil {
		return err
	}
	name := c.site.plan.Members[vertex].Name
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("slow down peer %s: %w", name, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10)) // what came says enough
		return fmt.Errorf("slow down peer %s: %s: %s", name, response.Status, strings.TrimSpace(string(text)))
	}
	return nil
}

// slowOnceUp does it as soon as the peer answers.
func (c *client) slowOnceUp(ctx context.Context, vertex int, factor float64) error {
	deadline := time.Now().Add(patience)
	for {
		err := c.slow(ctx, vertex, factor)
		if err == nil || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return nil // a run that is over needs it no more
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (c *client) close() { c.http.CloseIdleConnections() }
