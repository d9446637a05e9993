package consensus

// Reasons of Ignored and Lost. They are part of the event log: do not reword them.
const (
	ReasonNothingDue    = "nothing due"
	ReasonNotNeighbour  = "not a neighbour: kept until the lists agree"
	ReasonNoLink        = "no such link"
	ReasonNotMember     = "not a member: kept until the lists agree"
	ReasonOtherEpoch    = "another member list: kept until the lists agree"
	ReasonOldEstimate   = "not newer than the replica"
	ReasonWrongLength   = "estimate of another length"
	ReasonOldRound      = "round is closed"
	ReasonOldBlock      = "block is not in flight"
	ReasonNoPublish     = "no such publish"
	ReasonNoExchange    = "no such exchange"
	ReasonNoBase        = "builds on an estimate that did not arrive"
	ReasonKnown         = "known already"
	ReasonNotSpoken     = "message of another recipe"
	ReasonMalformed     = "malformed message"
	ReasonAborted       = "round closed before the block was done"
	ReasonMixedByNobody = "no neighbour mixed it in its round"
	ReasonJoining       = "newcomer takes its neighbours' average"
)
