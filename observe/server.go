package observe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"
)

// ServerConfig describes the HTTP server of one peer.
type ServerConfig struct {
	// Addr is host:port; port 0 takes a free one. An address that other machines can reach is refused
	// without a password file.
	Addr string
	// PasswordFile holds the password of the user "starling" on its first line; empty: none.
	PasswordFile string
	// Hosts are names under which clients may ask, beside localhost and plain addresses. Other names
	// are refused, so that a web page cannot rebind its own name to this server.
	Hosts    []string
	Gatherer prometheus.Gatherer
	State    func() State
	// Ready returns nil when the peer listens and trains, else why not. It does not ask for
	// neighbours: an orchestrator would kill the halves of a partition.
	Ready func() error
	Log   *zap.Logger
}

// Server serves /metrics, /healthz, /readyz and /api/v1/state.
type Server struct {
	listener net.Listener
	http     *http.Server
	mux      *http.ServeMux
	done     chan struct{}
}

// Listen takes the address; Handle may add to it before Start.
func Listen(config ServerConfig) (*Server, error) {
	if config.Log == nil {
		config.Log = zap.NewNop()
	}
	guard, err := newGuard(config)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", config.Addr)
	if err != nil {
		return nil, fmt.Errorf("observe.http: %w", err)
	}
	s := &Server{listener: listener, mux: http.NewServeMux(), done: make(chan struct{})}
	s.routes(config)
	errorLog, _ := zap.NewStdLogAt(config.Log, zap.DebugLevel) // only an invalid level fails
	s.http = &http.Server{
		Handler:           guard.wrap(s.mux),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          errorLog,
	}
	return s, nil
}

// Addr is where the server listens.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Handle adds a handler behind the same guard.
func (s *Server) Handle(pattern string, handler http.Handler) { s.mux.Handle(pattern, handler) }

// Start serves in the background until Close.
func (s *Server) Start() {
	go func() {
		defer close(s.done)
		_ = s.http.Serve(s.listener) // returns ErrServerClosed after Close, the only way it ends
	}()
}

// Close stops the server, waiting for requests in progress until ctx ends.
func (s *Server) Close(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	<-s.done
	return err
}

func (s *Server) routes(config ServerConfig) {
	if config.Gatherer != nil {
		s.mux.Handle("GET /metrics", promhttp.HandlerFor(config.Gatherer, promhttp.HandlerOpts{
			MaxRequestsInFlight: 4, Timeout: 10 * time.Second,
		}))
	}
	s.mux.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("ok\n")) // the client may have gone
	})
	s.mux.HandleFunc("GET "+readyPath, func(w http.ResponseWriter, _ *http.Request) {
		if config.Ready != nil {
			if err := config.Ready(); err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
		}
		_, _ = w.Write([]byte("ready\n")) // as above
	})
	if config.State != nil {
		s.mux.HandleFunc("GET /api/v1/state", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(config.State()) // as above
		})
	}
}
