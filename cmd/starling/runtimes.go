package main

import "github.com/starling-ml/starling/testnet"

// runtimes are all ways to run a network.
func runtimes() map[testnet.RuntimeName]testnet.Runtime {
	return map[testnet.RuntimeName]testnet.Runtime{testnet.VirtualTime: testnet.Virtual{}}
}
