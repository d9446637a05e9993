// Package gossip connects a peer to its neighbours over libp2p and tells the node what happens on
// those links: one long-lived stream per neighbour and direction for frames, acknowledged and
// watched by heartbeats, and a control topic on which every member announces itself.
//
// The contract with the node, which reads Mesh.Events in one loop:
//
//   - Every Up of a peer is followed by exactly one Down before its next Up. Inbound, Delivered and
//     Undelivered of a peer lie between the two, except that an estimate sent while the peer is down
//     is answered by Undelivered at once.
//   - Every estimate given to Send is answered by exactly one Delivered or Undelivered. Other messages
//     keep their order and arrive, or the link goes down.
//   - No method blocks on the network or on the reader of Events.
//   - A slow reader of Events costs freshness, not memory: replaceable estimates of a neighbour
//     replace each other, everything else fills a bounded queue and then holds up that neighbour.
package gossip
