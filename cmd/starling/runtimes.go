package main

import (
	"github.com/starling-ml/starling/testnet"
	"github.com/starling-ml/starling/testnet/local"
)

// runtimes are all ways to run a network.
func runtimes() map[testnet.RuntimeName]testnet.Runtime {
	return map[testnet.RuntimeName]testnet.Runtime{
		testnet.VirtualTime: testnet.Virtual{},
		testnet.InProcess:   local.InProcess{},
		testnet.Processes:   local.Processes{},
	}
}
