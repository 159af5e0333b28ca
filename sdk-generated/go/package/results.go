package agwp

import "net/http"

// Err is nil when the call was applied. It is a [LostClaimError] when the caller does not hold the job, or not any more, and an [Error] when
// the call was refused for another reason.
func (m JobResult) Err() error {
	if m.Error == nil {
		return nil
	}
	// As for a call of its own, which would be answered with 404 or 409.
	if (m.Error.Code == CodeNotFound || m.Error.Code == CodeFailedPrecondition) && isLoss(m.Error.Reason) {
		return &LostClaimError{m.Error}
	}
	return m.Error
}

func resultsOf(answer *JobResults, err error) ([]JobResult, error) {
	if err != nil {
		return nil, err
	}
	for _, result := range answer.Results {
		if result.Error != nil {
			result.Error.Status = http.StatusOK
		}
	}
	return answer.Results, nil
}
