package gossip

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/wire"
)

// BenchmarkFrames sends estimates over loopback, acknowledged one by one, and in the same run the same
// bytes over plain TLS 1.3, acknowledged by one byte: tls-ratio is what is left of its speed.
func BenchmarkFrames(b *testing.B) {
	for _, params := range []int{1e6, 1e7} {
		b.Run(fmt.Sprintf("params=%.0e", float64(params)), func(b *testing.B) {
			size := int64(wire.Format{Params: params}.EstimateSize())
			b.SetBytes(size)
			mesh := timeFrames(b, params)
			raw := timeTLS(b, int(size))
			bytes := float64(size) * float64(b.N)
			b.ReportMetric(raw.wall.Seconds()/mesh.wall.Seconds(), "tls-ratio")
			b.ReportMetric(bytes/mesh.wall.Seconds()/1e6, "mesh-MB/s")
			b.ReportMetric(bytes/raw.wall.Seconds()/1e6, "tls-MB/s")
			b.ReportMetric(mesh.processor.Seconds()*1e9/bytes, "mesh-cpu-ns/B")
			b.ReportMetric(raw.processor.Seconds()*1e9/bytes, "tls-cpu-ns/B")
		})
	}
}

// spent is what something took, on the clock and of the processors, which a busy machine spoils less.
type spent struct{ wall, processor time.Duration }

func measure(f func()) spent {
	began, before := time.Now(), processor()
	f()
	return spent{wall: time.Since(began), processor: processor() - before}
}

func processor() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func timeFrames(b *testing.B, params int) spent {
	wide := func(c *Config) {
		c.Timing.DeadAfter = time.Minute
		c.Hello.Signature = wire.Signature{{Name: "w", Shape: []int{params}}}
	}
	from, to := newPeer(b, "from", wide), newPeer(b, "to", wide)
	from.forget, to.forget = true, true
	connect(b, from, to)
	defer from.mesh.Close()
	defer to.mesh.Close()
	estimate := consensus.Estimate{Params: make([]float32, params)}
	send := func() {
		estimate.Seq++
		from.mesh.Send(to.id(), estimate, false)
		await(b, from, func(d Delivered) bool { return d.Seq == estimate.Seq })
	}
	for range 3 { // the windows grow
		send()
	}
	b.ResetTimer()
	defer b.StopTimer()
	return measure(func() {
		for range b.N {
			send()
		}
	})
}

func timeTLS(b *testing.B, size int) spent {
	client, server := tlsPair(b)
	defer client.Close()
	defer server.Close()
	go func() {
		buffer := make([]byte, size)
		for {
			if _, err := io.ReadFull(server, buffer); err != nil {
				return
			}
			server.Write(buffer[:1])
		}
	}()
	payload, ack := make([]byte, size), make([]byte, 1)
	return measure(func() {
		for range b.N {
			if _, err := client.Write(payload); err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadFull(client, ack); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// tlsPair connects two ends of TLS 1.3 with AES-GCM through a loopback socket.
func tlsPair(b *testing.B) (client, server net.Conn) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	certificate, err := x509.CreateCertificate(crand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		b.Fatal(err)
	}
	config := &tls.Config{
		Certificates:       []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}},
		InsecureSkipVerify: true, MinVersion: tls.VersionTLS13,
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		b.Fatal(err)
	}
	defer listener.Close()
	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := listener.Accept()
		if err == nil {
			err = c.(*tls.Conn).Handshake()
		}
		if err != nil {
			b.Error(err)
		}
		accepted <- c
	}()
	if client, err = tls.Dial("tcp", listener.Addr().String(), config); err != nil {
		b.Fatal(err)
	}
	return client, <-accepted
}

// BenchmarkHosts256 connects 256 hosts in one process over an exponential graph and reports the time
// until the last of the 1,920 links is up, and the memory for all.
func BenchmarkHosts256(b *testing.B) {
	const n = 256
	for range b.N {
		before := heap()
		began := time.Now()
		peers := make([]*testPeer, n)
		for i := range peers {
			peers[i] = newPeer(b, fmt.Sprint("peer", i), func(c *Config) {
				c.Timing.Heartbeat, c.Timing.DeadAfter = 5*time.Second, time.Minute
				c.Fixed = true
			})
			peers[i].forget = true
		}
		edges := exponential(b, peers)
		for _, p := range peers {
			for range p.mesh.degree() {
				next[Up](b, p)
			}
		}
		took := time.Since(began)
		b.ReportMetric(took.Seconds(), "s/mesh")
		b.ReportMetric(float64(edges), "links")
		b.ReportMetric((heap()-before)/n/1e3, "kB/host")
		b.ReportMetric(float64(runtime.NumGoroutine())/n, "goroutines/host")
		for _, p := range peers {
			go p.mesh.Close()
		}
		for _, p := range peers {
			<-p.ended
		}
	}
}

func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapInuse + m.StackInuse)
}

// exponential joins each peer with those 1, 2, 4, ... places away and returns the number of links.
func exponential(b *testing.B, peers []*testPeer) int {
	n, links := len(peers), 0
	neighbours := make([]map[int]bool, n)
	for i := range neighbours {
		neighbours[i] = map[int]bool{}
	}
	for i := range peers {
		for step := 1; step < n; step *= 2 {
			j := (i + step) % n
			neighbours[i][j], neighbours[j][i] = true, true
		}
	}
	for i, p := range peers {
		var ids []consensus.Peer
		for j := range neighbours[i] {
			p.mesh.host.Peerstore().AddAddrs(peers[j].key.id, peers[j].mesh.host.Addrs(), time.Hour)
			ids = append(ids, peers[j].id())
		}
		links += len(ids)
		if err := p.mesh.SetNeighbours(1, ids); err != nil {
			b.Fatal(err)
		}
	}
	return links / 2
}

// degree is the number of links the mesh keeps.
func (m *Mesh) degree() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.links)
}
