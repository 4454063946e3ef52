package formats

import "github.com/keyheat/keyheat/ingest/formats/awsjson"

// entityNames are attributes by which libraries and people name the type of an item of a single-table design: GraphQL,
// DynamoDB-Toolbox, ElectroDB, and what is common.
var entityNames = [...]string{"__typename", "entityType", "EntityType", "entity_type", "_type", "_et", "__edb_e__", "_entity", "itemType"}

// entityTried is how many items are looked at before no attribute is taken to name types.
const entityTried = 64

// An awsEntity finds the type that an attribute of items names: the first of entityNames that an item has.
type awsEntity struct {
	want  []awsjson.Attribute
	found bool // want is the one attribute that names types
	tried int
}

// of gives the type of an item; empty when it tells none.
func (n *awsEntity) of(item awsjson.Reader) []byte {
	if !n.found && n.tried == entityTried {
		return nil
	}
	if n.want == nil {
		for _, name := range entityNames {
			n.want = append(n.want, awsjson.Attribute{Name: []byte(name)})
		}
	}
	for i := range n.want {
		n.want[i].Kind = 0
	}
	item.Item(n.want)
	n.tried = min(n.tried+1, entityTried)
	for i := range n.want {
		if n.want[i].Kind == 'S' {
			n.want, n.found = n.want[i:i+1], true
			return n.want[0].Text
		}
	}
	return nil
}
