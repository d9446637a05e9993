package node

import (
	"strings"
	"testing"

	"github.com/starling-ml/starling/internal/settings"
)

func load(text string) (*Config, error) {
	c, _, err := Load(settings.Sources{Files: []settings.File{{Name: "agent.yaml", Text: []byte(text)}}})
	return c, err
}

func TestTheSmallestFileIsEnough(t *testing.T) {
	t.Parallel()
	c, err := load("version: 1\nrun: lab\n")
	if err != nil {
		t.Fatal(err)
	}
	if c.Name == "" || c.Checkpoint.Keep != 3 || c.Observe.HTTP != "127.0.0.1:7777" || c.Topology.Graph != "exponential" {
		t.Errorf("the defaults are %+v", c)
	}
}

func TestMistakesInAFileAreAllTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "{}", []string{"version", "run"}},
		{"a typo", "version: 1\nrun: lab\nnetwork: {listne: []}", []string{
			`agent.yaml:3:11: unknown key "listne"; did you mean "listen"?`,
		}},
		{"several", "version: 1\nrun: lab\ncheckpoint: {keep: 0, every: 5}\ntrain: {recipe: quorun}\n", []string{
			"agent.yaml:3:20: checkpoint.keep", "agent.yaml:3:30: checkpoint.every", `did you mean "quorum"?`,
		}},
		{"an address", "version: 1\nrun: lab\nnetwork: {listen: [\"0.0.0.0:4001\"]}", []string{
			`"0.0.0.0:4001"`, "write /ip4/0.0.0.0/tcp/4001",
		}},
		{"port 0 announced", "version: 1\nrun: lab\nnetwork: {announce: [/ip4/1.2.3.4/tcp/0]}", []string{
			"give the real port",
		}},
		{"nowhere", "version: 1\nrun: lab\nnetwork: {listen: [], discovery: {mdns: false}}", []string{
			"nobody can reach this peer and it knows nobody",
		}},
		{"an index", "version: 1\nrun: lab\ndata: {index: 2, partitions: [{}, {}]}", []string{
			"data.index: 2 is not among the 2 partitions; indices are 0 to 1",
		}},
		{
			"divided data that differ",
			"version: 1\nrun: lab\ntrain: {share: speed}\ndata: {partitions: [{}, {only_classes: [7]}]}",
			[]string{"train.share: speed divides data that all peers have, and data.partitions.1 deals them otherwise"},
		},
		{"a factor of nothing", "version: 1\nrun: lab\nworker: {compute: {step: 10x}}", []string{
			"worker.compute.step: has no default to be a multiple of; write a time, as in 40ms",
		}},
		{"a file without members", "version: 1\nrun: lab\ntopology: {graph: file, file: lab.edges}", []string{
			"topology.members: missing",
		}},
		{"an instant", "version: 1\nrun: lab\ntestnet: {start_at: soon}", []string{"testnet.start_at"}},
		{"a level", "version: 1\nrun: lab\nobserve: {events: {level: steps}}", []string{
			"observe.events.level", "always, window, step",
		}},
		{"a run of two lines", "version: 1\nrun: \"a\\nb\"\n", []string{"agent.yaml:2:6: run: text", "cannot be printed"}},
		{"a name that turns a terminal red", "version: 1\nrun: lab\nname: \"\\e[31m\"", []string{"name: text"}},
		{"no key", "version: 1\nrun: lab\nidentity: {key_file: ''}", []string{"identity.key_file: is empty"}},
		{"an early death", "version: 1\nrun: lab\nnetwork: {dead_after: 1ns}", []string{"1ns is shorter than 100ms"}},
		{"a port alone", "version: 1\nrun: lab\nobserve: {http: '7777'}", []string{`observe.http: "7777": want host:port`}},
		{"no port", "version: 1\nrun: lab\nobserve: {http: '127.0.0.1:77777'}", []string{"want host:port"}},
		{"an open door", "version: 1\nrun: lab\nobserve: {http: ':7777'}", []string{
			"observe.http: :7777 can be reached from other machines: set observe.password_file",
		}},
		{"a worker", "version: 1\nrun: lab\nworker: {kind: exec}", []string{"worker.kind", "builtin"}},
	} {
		_, err := load(c.text)
		if err == nil {
			t.Errorf("%s is taken", c.name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v\ndoes not say %q", c.name, err, want)
			}
		}
	}
}

func TestHeartbeatsFollowTheSilenceThatMeansDeath(t *testing.T) {
	t.Parallel()
	for dead, beat := range map[string]string{"1s": "200ms", "2s": "400ms", "5s": "1s", "1m": "1s"} {
		c, err := load("version: 1\nrun: lab\nnetwork: {dead_after: " + dead + "}")
		if err != nil {
			t.Fatal(err)
		}
		if got := c.timing().Heartbeat.String(); got != beat {
			t.Errorf("dead after %s: a heartbeat every %s, want %s", dead, got, beat)
		}
	}
}
