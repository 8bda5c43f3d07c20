package bucket

import (
	"errors"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// chain finds credentials as AWS' own tools do: in variables, in the file of shared credentials, then from the identity
// that the platform gives (Kubernetes, a container, a machine).
type chain struct {
	getenv func(string) string
	iam    *credentials.IAM
	from   credentials.Provider // that gave the last ones
}

var errNoCredentials = errors.New("there are no credentials for the store: set AWS_ACCESS_KEY_ID and " +
	"AWS_SECRET_ACCESS_KEY, or AWS_PROFILE")

// Retrieve implements credentials.Provider.
func (c *chain) Retrieve() (credentials.Value, error) { return c.RetrieveWithCredContext(nil) }

// RetrieveWithCredContext implements credentials.Provider.
func (c *chain) RetrieveWithCredContext(cc *credentials.CredContext) (credentials.Value, error) {
	if id, secret := c.getenv("AWS_ACCESS_KEY_ID"), c.getenv("AWS_SECRET_ACCESS_KEY"); id != "" && secret != "" {
		c.from = nil
		return credentials.Value{AccessKeyID: id, SecretAccessKey: secret,
			SessionToken: c.getenv("AWS_SESSION_TOKEN"), SignerType: credentials.SignatureV4}, nil
	}
	providers := []credentials.Provider{&credentials.FileAWSCredentials{}}
	if c.getenv("AWS_EC2_METADATA_DISABLED") != "true" || c.getenv("AWS_WEB_IDENTITY_TOKEN_FILE") != "" ||
		c.getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") != "" ||
		c.getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI") != "" {
		providers = append(providers, c.iam)
	}
	for _, p := range providers {
		v, err := p.RetrieveWithCredContext(cc)
		if err == nil && v.AccessKeyID != "" && v.SecretAccessKey != "" {
			c.from = p
			return v, nil
		}
	}
	return credentials.Value{}, errNoCredentials
}

// IsExpired implements credentials.Provider.
func (c *chain) IsExpired() bool { return c.from != nil && c.from.IsExpired() }
