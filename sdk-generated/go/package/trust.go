package agwp

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// WithCAFile trusts the authorities in a PEM file for https, and no others. [NewClient] fails when the file holds none. Defaults to those of
// the system.
func WithCAFile(path string) ClientOption {
	return func(options *clientOptions) { options.caFile = path }
}

// trustIn is nil, trust in the authorities of the system, for no file.
func trustIn(caFile string) (*tls.Config, error) {
	if caFile == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("agwp: the CA file cannot be read: %w", err)
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("agwp: %s holds no certificate; it must hold PEM, BEGIN CERTIFICATE", caFile)
	}
	return &tls.Config{RootCAs: authorities}, nil
}
