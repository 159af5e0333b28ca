package agwp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	agwp "agwp.dev/go"
)

func Test_a_lease_of_a_later_release_is_read_and_a_lost_answer_repeated_under_one_request_id(t *testing.T) {
	lease := `{"lease_id":"l1","fencing_token":9007199254740991,"state":"mislaid","colour":"blue"}`
	ctx := context.Background()
	read := must(aClient(t, aStub(t, answers(200, lease)).address).RenewLease(ctx, "l1",
		agwp.RenewLeaseRequest{Holder: "alice", FencingToken: 9007199254740991}))(t)
	equal(t, "state", read.State, "mislaid")
	equal(t, "token", read.FencingToken, 9007199254740991)

	s := aStub(t, breakOff)
	request := agwp.AcquireLeaseRequest{Repo: "r", Paths: []string{"a/"}, Holder: "alice"}
	_ = errorOf(aClient(t, s.address, agwp.WithTriesMax(2)).AcquireLease(ctx, request))
	calls := s.all()
	equal(t, "tries", len(calls), 2)
	equal(t, "repeat", calls[1].body, calls[0].body)
	equal(t, "named", strings.Contains(calls[0].body, `"request_id"`), true)
}

func Test_a_change_is_integrated_while_its_lease_holds(t *testing.T) {
	client, ctx, repo := aClient(t, server(t)), context.Background(), aQueue()
	lease := must(client.AcquireLease(ctx, agwp.AcquireLeaseRequest{Repo: repo, Paths: []string{"a/"}, Holder: "alice"}))(t)
	change := agwp.IntegrateRequest{Repo: repo, ChangeDigest: "sha256:" + strings.Repeat("ab", 32), Paths: []string{"a/b"},
		FencingTokens: []uint64{lease.FencingToken}, Holder: "alice", Validation: &agwp.Validation{Queue: repo}}

	integration := must(client.Integrate(ctx, change))(t)

	equal(t, "sequence", integration.Sequence, 1)
	equal(t, "state", must(client.GetIntegration(ctx, integration.IntegrationId))(t).State, "validating")
	equal(t, "listed", len(must(client.ListIntegrations(ctx, agwp.ListIntegrationsQuery{Repo: &repo}))(t).Integrations), 1)
	must(client.ReleaseLease(ctx, lease.LeaseId, agwp.ReleaseLeaseRequest{Holder: "alice", FencingToken: lease.FencingToken}))(t)
	equal(t, "lease", must(client.ListLeases(ctx, agwp.ListLeasesQuery{Repo: &repo}))(t).Leases[0].State, "released")
	var refused *agwp.Error
	equal(t, "late", errors.As(errorOf(client.Integrate(ctx, change)), &refused), true)
	equal(t, "reason", refused.Reason, agwp.ReasonNotHolder)
}
