package dynamo

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/applicationautoscaling"
	"github.com/aws/aws-sdk-go-v2/service/applicationautoscaling/types"
)

// scalingAPI is what is asked of Application Auto Scaling.
type scalingAPI interface {
	DescribeScalableTargets(context.Context, *applicationautoscaling.DescribeScalableTargetsInput, ...func(*applicationautoscaling.Options)) (*applicationautoscaling.DescribeScalableTargetsOutput, error)
}

const actionDescribeScaling = "application-autoscaling:DescribeScalableTargets"

// describeScaling asks between which limits auto scaling moves the capacity of a table and its indexes, and hands it
// over. Of a table that is charged by request there is nothing to ask.
func (s *Server) describeScaling(ctx context.Context, c *caller, api scalingAPI, t *table) error {
	if !t.scaled {
		return nil
	}
	in := &applicationautoscaling.DescribeScalableTargetsInput{ServiceNamespace: types.ServiceNamespaceDynamodb, ResourceIds: []string{"table/" + s.address.table}}
	for _, index := range t.indexes {
		in.ResourceIds = append(in.ResourceIds, "table/"+s.address.table+"/index/"+index)
	}
	said := []string{}
	for {
		out, err := call(ctx, c, actionDescribeScaling, firstAttempts, api.DescribeScalableTargets, in)
		if err != nil {
			return err
		}
		for i := range out.ScalableTargets {
			said = append(said, scaled(&out.ScalableTargets[i]))
		}
		if len(out.ScalableTargets) > 0 {
			if err := s.hand(formatDescribe, "", out, t.sink); err != nil {
				return err
			}
		}
		next := aws.ToString(out.NextToken)
		if next == "" || next == aws.ToString(in.NextToken) {
			t.scaling = strings.Join(said, ", ")
			return nil
		}
		in.NextToken = &next
	}
}

// scaled tells of one target.
func scaled(t *types.ScalableTarget) string {
	_, what, _ := strings.Cut(strings.TrimSuffix(string(t.ScalableDimension), "CapacityUnits"), ":")
	of, what, _ := strings.Cut(what, ":")
	if _, index, ok := strings.Cut(aws.ToString(t.ResourceId), "/index/"); ok {
		of += " " + index
	}
	text := fmt.Sprintf("%ss of the %s from %d to %d units", strings.ToLower(what), of, aws.ToInt32(t.MinCapacity), aws.ToInt32(t.MaxCapacity))
	if t.SuspendedState != nil && aws.ToBool(t.SuspendedState.DynamicScalingOutSuspended) {
		text += " (suspended)"
	}
	return text
}
