package ingest

// A SecondaryIndex is what a description of a DynamoDB table tells of one of its indexes: enough to say from
// an item which entry it has there. A global index may have several attributes for each part of its key.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/SecondaryIndexes.html
type SecondaryIndex struct {
	Name      string
	Partition []string // names of attributes, in order
	Sort      []string
	Base      []string // attributes of the table's own key, which each entry holds
	Local     bool     // its entries lie in the partition of their item
	// All is set where an entry holds the whole item; else it holds its keys, and Include.
	All     bool
	Include []string
}
