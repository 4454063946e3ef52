// Package rules holds the detectors, one file each. A rule is data and a pure function of a view: it
// knows no event, no file, no clock and no other rule's file, and says nothing of what to do.
package rules

import "github.com/keyheat/keyheat/detect"

// Catalogue gives every rule once, in order of id.
func Catalogue() []*detect.Rule {
	return []*detect.Rule{
		&BlindSpot,
		&FanOut,
		&FullScan,
		&GrowingPartition,
		&HotIndex,
		&HotNode,
		&HotPartition,
		&LargeItem,
		&LargePartition,
		&LowCardinalityKey,
		&MovingHotKey,
		&PurgeBlocked,
		&SkewedKey,
		&Throttling,
		&TombstoneDenseRead,
		&TombstonePartition,
	}
}
