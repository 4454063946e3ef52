// Package sketch summarises weighted keys in fixed memory: heavy hitters, distinct counts, a sample
// of keys and histograms. All summaries merge, serialise to canonical bytes and give bounds that
// always hold or say how often they do. The package must not know what a key, a group or a weight stands for.
package sketch
