package formats

import "github.com/keyheat/keyheat/ingest"

// KeyEventsNDJSON is the generic format: one JSON object a line, one request each.
var KeyEventsNDJSON = ingest.Format{Name: "key-events-ndjson", Coverage: ingest.Traffic}

// KeyEventsCSV is the generic format as a table with a header.
var KeyEventsCSV = ingest.Format{Name: "key-events-csv", Coverage: ingest.Traffic, Quoted: true, Header: true}
