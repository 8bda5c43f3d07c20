package bucket

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/signer"
)

// s3 is a bucket behind the interface of S3. Each call is one request, signed with version 4.
type s3 struct {
	bucket, prefix string // prefix ends with a slash unless it is empty
	base           *url.URL
	region         string
	client         *http.Client
	creds          *credentials.Credentials
}

// Rules of AWS for names of buckets, as far as they keep a name from being something else in an address.
var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// newS3 reads the variables that AWS' own tools read. With an endpoint of its own (AWS_ENDPOINT_URL_S3,
// AWS_ENDPOINT_URL) the bucket stands in the path, as every store understands; at AWS it is part of the host.
func newS3(u *url.URL, getenv func(string) string) (*s3, error) {
	if !bucketName.MatchString(u.Host) {
		return nil, fmt.Errorf("%s names no bucket: want s3://bucket/prefix, the bucket of small letters, digits, "+
			"dots and hyphens", redacted(u))
	}
	s := &s3{bucket: u.Host, prefix: strings.Trim(u.Path, "/"),
		region: cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION"), "us-east-1")}
	if s.prefix != "" {
		s.prefix += "/"
	}
	endpoint := cmp.Or(getenv("AWS_ENDPOINT_URL_S3"), getenv("AWS_ENDPOINT_URL"))
	switch {
	case endpoint != "":
		base, err := url.Parse(endpoint)
		if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil {
			return nil, errors.New("AWS_ENDPOINT_URL is no address: want one such as https://s3.example.com")
		}
		s.base = base.JoinPath(s.bucket)
	case strings.Contains(s.bucket, "."): // no certificate covers such a host
		s.base = &url.URL{Scheme: "https", Host: awsHost(s.region), Path: "/" + s.bucket}
	default:
		s.base = &url.URL{Scheme: "https", Host: s.bucket + "." + awsHost(s.region)}
	}
	s.client = newClient(func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse })
	if file := getenv("AWS_CA_BUNDLE"); file != "" {
		if err := trust(s.client, file); err != nil {
			return nil, fmt.Errorf("AWS_CA_BUNDLE: %w", err)
		}
	}
	s.creds = credentials.New(&chain{getenv: getenv, iam: &credentials.IAM{Client: newClient(nil)}})
	return s, nil
}

// trust has a client take certificates that those of a file have signed, and no others.
func trust(client *http.Client, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return fmt.Errorf("%s has no certificate in PEM", file)
	}
	client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	return nil
}

func awsHost(region string) string {
	host := "s3." + region + ".amazonaws.com"
	if strings.HasPrefix(region, "cn-") {
		host += ".cn"
	}
	return host
}

func (s *s3) String() string { return strings.TrimSuffix("s3://"+s.bucket+"/"+s.prefix, "/") }

// emptySum is the hash of no bytes.
const emptySum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// request makes a signed request; sum is the hash of body.
func (s *s3) request(
	ctx context.Context, method, key string, query url.Values, body io.Reader, sum string, header http.Header,
) (*http.Request, error) {
	u := *s.base
	if key != "" {
		u = below(s.base, key)
	}
	u.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	creds, err := s.creds.GetWithContext(&credentials.CredContext{Client: s.client, Context: ctx})
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-Amz-Content-Sha256", sum)
	return signer.SignV4(*req, creds.AccessKeyID, creds.SecretAccessKey, creds.SessionToken, s.region), nil
}

func (s *s3) Get(ctx context.Context, key, known string) (*Object, error) {
	req, err := s.request(ctx, http.MethodGet, s.prefix+key, nil, nil, emptySum, nil)
	if err != nil {
		return nil, err
	}
	return get(s.client, req, key, known)
}

func (s *s3) Put(ctx context.Context, key string, p Put) error {
	if sum, err := hex.DecodeString(p.SHA256); err != nil || len(sum) != 32 {
		return fmt.Errorf("%q is no SHA-256", p.SHA256)
	}
	header := http.Header{"Content-Type": {"application/octet-stream"}}
	if strings.HasSuffix(key, ".json") {
		header.Set("Content-Type", "application/json")
		header.Set("Cache-Control", "no-cache")
	} else {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	switch {
	case p.New:
		header.Set("If-None-Match", "*")
	case p.Match != "":
		header.Set("If-Match", p.Match)
	}
	if _, err := p.Body.Seek(0, io.SeekStart); err != nil {
		return err
	}
	req, err := s.request(ctx, http.MethodPut, s.prefix+key, nil, io.NopCloser(p.Body), p.SHA256, header)
	if err != nil {
		return err
	}
	req.ContentLength = p.Size
	res, err := do(s.client, req, key)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// mostList bounds an answer to List, in bytes, and mostPages how many there are.
const (
	mostList  = 4 << 20
	mostPages = 100
)

func (s *s3) List(ctx context.Context, prefix string) ([]Entry, error) {
	var out []Entry
	query := url.Values{"list-type": {"2"}, "prefix": {s.prefix + prefix}}
	for range mostPages {
		var page struct {
			Contents []struct {
				Key          string
				Size         int64
				LastModified time.Time
			}
			IsTruncated           bool
			NextContinuationToken string
		}
		if err := s.list(ctx, query, &page); err != nil {
			return nil, err
		}
		for _, c := range page.Contents {
			if key, ours := strings.CutPrefix(c.Key, s.prefix); ours {
				out = append(out, Entry{key, c.Size, c.LastModified})
			}
		}
		if !page.IsTruncated || page.NextContinuationToken == "" {
			return out, nil
		}
		query.Set("continuation-token", page.NextContinuationToken)
	}
	return nil, fmt.Errorf("%s has more objects than can be listed", s)
}

func (s *s3) list(ctx context.Context, query url.Values, page any) error {
	req, err := s.request(ctx, http.MethodGet, "", query, nil, emptySum, nil)
	if err != nil {
		return err
	}
	res, err := do(s.client, req, "the list of objects")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if err := xml.NewDecoder(io.LimitReader(res.Body, mostList)).Decode(page); err != nil {
		return fmt.Errorf("the list of objects cannot be read: %w", err)
	}
	return nil
}

func (s *s3) Delete(ctx context.Context, key string) error {
	req, err := s.request(ctx, http.MethodDelete, s.prefix+key, nil, nil, emptySum, nil)
	if err != nil {
		return err
	}
	res, err := do(s.client, req, key)
	if err != nil {
		return err
	}
	return res.Body.Close()
}
