package blob

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// s3Place is S3Config.URL, taken apart.
type s3Place struct {
	host, bucket string
	prefix       string // empty, or with a slash at its end
	tls          bool
	key, secret  string
	region       string
	lookup       minio.BucketLookupType
	publicHost   string
	publicTLS    bool
}

var lookups = map[string]minio.BucketLookupType{"": minio.BucketLookupAuto, "path": minio.BucketLookupPath, "host": minio.BucketLookupDNS}

// parsePlace reads the address of a bucket. No error repeats it: it holds the secret.
func parsePlace(address string) (s3Place, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return s3Place{}, errors.New("it is no URL (in key and secret write %2F for /, %2B for +, %40 for @, %25 for %)")
	}
	p := s3Place{host: u.Host, tls: u.Scheme == "https", region: "us-east-1", publicHost: u.Host, publicTLS: u.Scheme == "https"}
	if !p.tls && u.Scheme != "http" {
		return p, errors.New("it begins with neither https:// nor http://")
	}
	p.key = u.User.Username()
	p.secret, _ = u.User.Password()
	if (p.key == "") != (p.secret == "") {
		return p, errors.New("it has a key without a secret, or a secret without a key")
	}
	bucket, prefix, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if p.bucket = bucket; s3utils.CheckValidBucketNameStrict(bucket) != nil {
		return p, fmt.Errorf("%q is no name of a bucket", bucket)
	}
	if prefix != "" {
		if err := checkPrefix(prefix); err != nil {
			return p, err
		}
		p.prefix = prefix + "/"
	}
	return p, p.options(u.RawQuery)
}

// options reads what follows the question mark.
func (p *s3Place) options(query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("what follows its question mark is malformed")
	}
	for name, value := range values {
		switch name {
		case "region":
			p.region = value[0]
		case "lookup":
			lookup, ok := lookups[value[0]]
			if !ok {
				return fmt.Errorf("its option lookup is %q, not path or host", value[0])
			}
			p.lookup = lookup
		case "public":
			if err := p.public(value[0]); err != nil {
				return err
			}
		default:
			return fmt.Errorf("it has an unknown option %q", name)
		}
	}
	return nil
}

func (p *s3Place) public(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" || strings.Trim(u.Path, "/") != "" {
		return errors.New("its option public is no https://host[:port]")
	}
	p.publicHost, p.publicTLS = u.Host, u.Scheme == "https"
	return nil
}

// credentials are those of the address, or what the cloud gives the machine.
func (p *s3Place) credentials() *credentials.Credentials {
	if p.key != "" {
		return credentials.NewStaticV4(p.key, p.secret, "")
	}
	return credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.IAM{}})
}
