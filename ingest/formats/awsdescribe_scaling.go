package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// scaling reads what auto scaling may do with tables and indexes, as "aws application-autoscaling
// describe-scalable-targets" prints it; targets of other services are passed over.
// https://docs.aws.amazon.com/autoscaling/application/APIReference/API_DescribeScalableTargets.html
func (d *awsDescription) scaling(r *awsjson.Reader) {
	for r.Open('['); r.Element(); {
		d.scalable(r)
	}
}

// scalable reads one target: a dimension of a table or an index.
func (d *awsDescription) scalable(r *awsjson.Reader) {
	at := r.At()
	var of awsSubject
	var dimension, least, most, suspended []byte
	for more := r.Open('{'); more; {
		var name []byte
		if name, more = r.Member(); !more {
			break
		}
		switch string(name) {
		case "ResourceId":
			of = awsScaled(r.Text())
		case "ScalableDimension":
			dimension = r.Text()
		case "MinCapacity":
			least = r.Text()
		case "MaxCapacity":
			most = r.Text()
		case "SuspendedState":
			suspended = awsMember(r, "DynamicScalingOutSuspended")
		default:
			r.Skip()
		}
	}
	if len(of.table) == 0 || string(suspended) == "true" {
		return
	}
	switch string(dimension) {
	case "dynamodb:table:ReadCapacityUnits", "dynamodb:index:ReadCapacityUnits":
		d.tell(of, ingest.FactScalingMinRead, least, at)
		d.tell(of, ingest.FactScalingMaxRead, most, at)
	case "dynamodb:table:WriteCapacityUnits", "dynamodb:index:WriteCapacityUnits":
		d.tell(of, ingest.FactScalingMinWrite, least, at)
		d.tell(of, ingest.FactScalingMaxWrite, most, at)
	}
}

// awsScaled gives the table and index of an id like table/Orders/index/byStatus; nothing for other resources.
func awsScaled(id []byte) (of awsSubject) {
	rest, ok := bytes.CutPrefix(id, []byte("table/"))
	if !ok {
		return of
	}
	of.table, of.index, _ = bytes.Cut(rest, []byte("/index/"))
	return of
}

// awsMember passes an object, and gives the value of its member as it is written.
func awsMember(r *awsjson.Reader, wanted string) (value []byte) {
	for more := r.Open('{'); more; {
		var name []byte
		if name, more = r.Member(); !more {
			break
		}
		if _, text := r.Value(); string(name) == wanted {
			value = text
		}
	}
	return value
}
