package observe

import (
	"bufio"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// Orchestrators probe these two without a password.
const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
)

// guard stands in front of every handler: it knows under which names the server may be asked, and the
// password.
type guard struct {
	hosts    []string
	password string
}

// CheckAddress tells what is wrong with the address of a server, which only a password may open to other
// machines.
func CheckAddress(addr, passwordFile string) error {
	host, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return fmt.Errorf("%q: want host:port, such as 127.0.0.1:7777", addr)
	}
	if passwordFile == "" && !loopback(host) {
		return fmt.Errorf("%s can be reached from other machines: "+
			"set observe.password_file, or listen on 127.0.0.1", addr)
	}
	return nil
}

func newGuard(config ServerConfig) (*guard, error) {
	if err := CheckAddress(config.Addr, config.PasswordFile); err != nil {
		return nil, fmt.Errorf("observe.http %w", err)
	}
	host, _, err := net.SplitHostPort(config.Addr)
	g := &guard{hosts: append([]string{"localhost", host}, config.Hosts...)}
	if config.PasswordFile != "" {
		g.password, err = readPassword(config.PasswordFile)
	}
	return g, err
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func readPassword(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("observe.password_file: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Scan()
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("observe.password_file: %w", err)
	}
	password := strings.TrimSpace(lines.Text())
	if password == "" {
		return "", fmt.Errorf("observe.password_file %s: the first line is empty; write a password there", path)
	}
	return password, nil
}

// wrap checks the name, the password and the origin, in this order.
func (g *guard) wrap(next http.Handler) http.Handler {
	next = http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
		h.Set("Cache-Control", "no-store")
		if !g.named(r.Host) {
			http.Error(w, "unknown host name: add it to observe.hosts", http.StatusMisdirectedRequest)
			return
		}
		if !g.allowed(r) {
			h.Set("WWW-Authenticate", `Basic realm="starling", charset="UTF-8"`)
			http.Error(w, "wrong or missing password", http.StatusUnauthorized)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
		next.ServeHTTP(w, r)
	})
}

// named tells whether the Host header is a plain address or a known name.
func (g *guard) named(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return true
	}
	return slices.ContainsFunc(g.hosts, func(known string) bool { return strings.EqualFold(known, host) })
}

func (g *guard) allowed(r *http.Request) bool {
	if g.password == "" || r.URL.Path == healthPath || r.URL.Path == readyPath {
		return true
	}
	user, password, _ := r.BasicAuth()
	return user == "starling" && same(password, g.password)
}

// same compares without telling by its time where the difference is.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
