package dynamo

import (
	"context"
	"io"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// plainBodies makes the SDK send bodies that can only be read. The SDK closes a body as soon as an answer begins, and
// on a busy machine the transport looks only then whether there is more of it: to read a closed one gives its end, but
// one that is to write itself gives an error (smithy-go, safeWriteToReadCloser), for which the transport cuts the
// connection while the answer is read.
func plainBodies(stack *middleware.Stack) error {
	hide := func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (out middleware.DeserializeOutput, meta middleware.Metadata, err error) {
		if r, ok := in.Request.(*smithyhttp.Request); ok {
			if body, ok := r.GetStream().(io.ReadSeeker); ok {
				if in.Request, err = r.SetStream(struct{ io.ReadSeeker }{body}); err != nil {
					return out, meta, err
				}
			}
		}
		return next.HandleDeserialize(ctx, in)
	}
	return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("PlainBody", hide), middleware.After)
}
