package observe

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// serve starts a server on a free port.
func serve(t *testing.T, config ServerConfig) *Server {
	t.Helper()
	if config.Addr == "" {
		config.Addr = "127.0.0.1:0"
	}
	s, err := Listen(config)
	if err != nil {
		t.Fatal(err)
	}
	s.Handle("POST /slow", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}))
	s.Start()
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// ask sends a request that change may alter, and returns the status and the body.
func ask(t *testing.T, s *Server, method, path string, change func(*http.Request)) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.Addr()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func TestWhatIsServed(t *testing.T) {
	t.Parallel()
	ready := errors.New("no worker yet")
	m := NewMetrics(BuildInfo{Version: "0.1.0"})
	meter := NewMeter(MeterConfig{Source: virtual(), Metrics: m})
	s := serve(t, ServerConfig{
		Gatherer: m.Registry(), State: func() State { return meter.State(at(100)) }, Ready: func() error { return ready },
	})
	for _, c := range []struct {
		path   string
		status int
		text   string
	}{
		{"/healthz", 200, "ok"},
		{"/readyz", 503, "no worker yet"},
		{"/metrics", 200, `starling_build_info{goversion=`},
		{"/api/v1/state", 200, `"run":"lab"`},
		{"/nothing", 404, ""},
	} {
		if status, body := ask(t, s, "GET", c.path, nil); status != c.status || !strings.Contains(body, c.text) {
			t.Errorf("%s: %d %q, want %d with %q", c.path, status, body, c.status, c.text)
		}
	}
	ready = nil
	if status, body := ask(t, s, "GET", "/readyz", nil); status != 200 {
		t.Errorf("/readyz of a ready peer: %d %q", status, body)
	}
	_, body := ask(t, s, "GET", "/api/v1/state", nil)
	var state map[string]any
	if err := json.Unmarshal([]byte(body), &state); err != nil || state["v"] != 1.0 || state["loss"] != nil {
		t.Errorf("state %s: %v", body, err)
	}
}

func TestOnlyKnownNamesAreAnswered(t *testing.T) {
	t.Parallel()
	s := serve(t, ServerConfig{Hosts: []string{"lab.example"}})
	for host, want := range map[string]int{
		"localhost": 200, "LocalHost:7777": 200, "127.0.0.1:1": 200, "[::1]:7777": 200, "192.168.1.20": 200,
		"lab.example:7777": 200, "evil.example": 421, "evil.example:7777": 421, "lab.example.evil.example": 421,
	} {
		if status, body := ask(t, s, "GET", "/healthz", func(r *http.Request) { r.Host = host }); status != want {
			t.Errorf("as %s: %d %q, want %d", host, status, body, want)
		}
	}
}

func TestPagesOfOthersCannotAct(t *testing.T) {
	t.Parallel()
	s := serve(t, ServerConfig{})
	if status, _ := ask(t, s, "POST", "/slow", nil); status != http.StatusNoContent {
		t.Errorf("a plain client: %d", status)
	}
	status, _ := ask(t, s, "POST", "/slow", func(r *http.Request) {
		r.Header.Set("Origin", "https://evil.example")
		r.Header.Set("Sec-Fetch-Site", "cross-site")
	})
	if status != http.StatusForbidden {
		t.Errorf("a page of another site: %d", status)
	}
}

func TestAPasswordGuardsAllButHealth(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("secret \nnot this\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, ServerConfig{PasswordFile: file, State: func() State { return State{} }})
	login := func(user, password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth(user, password) }
	}
	for _, c := range []struct {
		path   string
		change func(*http.Request)
		want   int
	}{
		{"/healthz", nil, 200},
		{"/readyz", nil, 200},
		{"/api/v1/state", nil, 401},
		{"/api/v1/state", login("starling", "secret"), 200},
		{"/api/v1/state", login("starling", "secret "), 401},
		{"/api/v1/state", login("starling", ""), 401},
		{"/api/v1/state", login("root", "secret"), 401},
		{"/api/v1/state/../../healthz", login("x", "y"), 401},
	} {
		if status, _ := ask(t, s, "GET", c.path, c.change); status != c.want {
			t.Errorf("%s: %d, want %d", c.path, status, c.want)
		}
	}
}

func TestAddressesThatAreRefused(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	taken := serve(t, ServerConfig{}).Addr()
	for _, c := range []struct{ addr, password, want string }{
		{"0.0.0.0:0", "", "set observe.password_file"},
		{":0", "", "set observe.password_file"},
		{"example.org:80", "", "can be reached from other machines"},
		{"7777", "", "want host:port"},
		{"0.0.0.0:0", "/nowhere/password", "/nowhere/password"},
		{"127.0.0.1:0", empty, "first line is empty"},
		{taken, "", "address already in use"},
	} {
		s, err := Listen(ServerConfig{Addr: c.addr, PasswordFile: c.password})
		if err == nil {
			_ = s.listener.Close() // only the refusal matters
			t.Errorf("%s is taken", c.addr)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q does not say %q", c.addr, err, c.want)
		}
	}
}

func TestWithAPasswordOtherMachinesMayReachIt(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, ServerConfig{Addr: "0.0.0.0:0", PasswordFile: file})
	if !strings.HasPrefix(s.Addr(), "0.0.0.0:") && !strings.HasPrefix(s.Addr(), "[::]:") {
		t.Errorf("listens on %s", s.Addr())
	}
}
