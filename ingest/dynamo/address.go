package dynamo

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"
)

// An address is what a URL says of a table.
type address struct {
	table, region, profile, endpoint string
	from                             origin
}

// An origin is where in a stream reading begins. The zero value is its end.
type origin struct {
	horizon bool      // the oldest record that is kept
	since   time.Time // zero: not by time
}

// String gives the origin as a URL has it.
func (o origin) String() string {
	switch {
	case o.horizon:
		return "trim-horizon"
	case o.since.IsZero():
		return "latest"
	}
	return o.since.UTC().Format(time.RFC3339Nano)
}

func parseOrigin(text string) (origin, error) {
	switch text {
	case "", "latest":
		return origin{}, nil
	case "trim-horizon":
		return origin{horizon: true}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return origin{}, fmt.Errorf("from=%q: must be latest, trim-horizon or a time like 2026-11-30T10:00:00Z", text)
	}
	return origin{since: t}, nil
}

// parseAddress reads a URL; the error joins all its faults.
func parseAddress(u *url.URL) (address, error) {
	a := address{table: u.Host}
	var faults []error
	if !tableName(a.table) {
		faults = append(faults, fmt.Errorf("table %q: must be 3 to 255 letters, digits, or any of _ . -", a.table))
	}
	if u.Path != "" && u.Path != "/" || u.User != nil || u.Fragment != "" {
		faults = append(faults, errors.New("there must be nothing but a table and its settings"))
	}
	query, err := url.ParseQuery(u.RawQuery)
	faults = append(faults, err)
	for _, name := range slices.Sorted(maps.Keys(query)) {
		value := query.Get(name)
		switch name {
		case "region":
			a.region = value
		case "profile":
			a.profile = value
		case "endpoint":
			a.endpoint = value
			faults = append(faults, checkEndpoint(value))
		case "from":
			a.from, err = parseOrigin(value)
			faults = append(faults, err)
		default:
			faults = append(faults, fmt.Errorf("%s: no such setting: there are endpoint, from, profile and region", name))
		}
	}
	return a, errors.Join(faults...)
}

// tableName reports whether DynamoDB allows a name
// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html).
func tableName(name string) bool {
	for _, c := range []byte(name) {
		if !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.') {
			return false
		}
	}
	return len(name) >= 3 && len(name) <= 255
}

func checkEndpoint(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("endpoint %q: must be like https://dynamodb.eu-west-1.amazonaws.com", text)
	}
	return nil
}
