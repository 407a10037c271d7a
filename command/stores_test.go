package command

import (
	"database/sql"
	"encoding/base64"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/redis/go-redis/v9"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver pgx
)

// sharedStores gives the settings of stores of the test's own on the real services, nil where the run has none: a schema, a
// bucket and a database of Redis.
func sharedStores(t *testing.T) map[string]string {
	t.Helper()
	postgres, redis, s3 := os.Getenv("EINVOICED_TEST_POSTGRES"), os.Getenv("EINVOICED_TEST_REDIS"), os.Getenv("EINVOICED_TEST_S3")
	if postgres == "" || redis == "" || s3 == "" {
		return nil
	}
	name := strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))
	return map[string]string{
		"EINVOICED_DATABASE": ownSchema(t, postgres, strings.ReplaceAll(name, "-", "_")), "EINVOICED_REDIS": ownKeys(t, redis), "EINVOICED_S3": ownBucket(t, s3, name),
		"EINVOICED_SECRET_KEY": base64.StdEncoding.EncodeToString([]byte("01234567890123456789012345678901")),
	}
}

// ownSchema makes an empty schema and gives the address of the database with it.
func ownSchema(t *testing.T, address, schema string) string {
	t.Helper()
	pool, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for _, statement := range []string{"DROP SCHEMA IF EXISTS " + schema + " CASCADE", "CREATE SCHEMA " + schema} {
		if _, err := pool.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	return withQuery(t, address, "search_path", schema)
}

func withQuery(t *testing.T, address, name, value string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// ownKeys empties a database of Redis that no other package uses.
func ownKeys(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/14"
	options, err := redis.ParseURL(u.String())
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	defer client.Close()
	if err := client.FlushDB(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	return u.String()
}

// ownBucket makes a bucket and gives its address.
func ownBucket(t *testing.T, address, bucket string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	secret, _ := u.User.Password()
	client, err := minio.New(u.Host, &minio.Options{Creds: credentials.NewStaticV4(u.User.Username(), secret, ""), Secure: u.Scheme == "https", Region: u.Query().Get("region")})
	if err != nil {
		t.Fatal(err)
	}
	bucket = strings.ReplaceAll(bucket, "_", "-")[:min(len(bucket), 60)]
	if exists, err := client.BucketExists(t.Context(), bucket); err != nil || !exists {
		if err := client.MakeBucket(t.Context(), bucket, minio.MakeBucketOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	u.Path = "/" + bucket
	return u.String()
}

// freeAddress gives an address of this machine where nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// keyIn makes a key in the database of the settings.
func keyIn(t *testing.T, settings map[string]string) string {
	t.Helper()
	secret, errs, code := run(t, "", "keys", "create", "--database", settings["EINVOICED_DATABASE"])
	if code != exitOK {
		t.Fatal(errs)
	}
	return strings.TrimSpace(secret)
}
