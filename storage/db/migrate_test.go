package db_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// relic is rows that an earlier version has written.
type relic struct {
	table       string
	from, until int64 // the first level of the schema that takes the statement, and the first that no longer does; 0: all take it
	insert      string
	read        string // gives one text for each row, at the newest level
	want        []string
}

const sha = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

var relics = []relic{
	{"accounts", 1, 0,
		"INSERT INTO accounts (id, name, created) VALUES ('acc_1', 'Müller & Söhne', 1767225600000), ('acc_2', '', 1)",
		"SELECT id || '|' || name || '|' || CAST(created AS TEXT) FROM accounts ORDER BY id",
		[]string{"acc_1|Müller & Söhne|1767225600000", "acc_2||1"}},
	{"api_keys", 1, 0,
		`INSERT INTO api_keys (id, account_id, mode, name, lookup, sha256, last_four, entitlements, created, revoked, last_used)
			VALUES ('key_1', 'acc_1', 'live', 'shop', 'Ab12Cd34', '` + sha + `', 'wxyz', '["e-invoice:*:*:create"]', 2, NULL, 3),
			('key_2', 'acc_2', 'test', '', 'Ef56Gh78', '` + sha + `', 'abcd', '["*"]', 4, 5, NULL)`,
		`SELECT id || '|' || account_id || '|' || mode || '|' || name || '|' || lookup || '|' || sha256 || '|' || last_four || '|' || entitlements
			|| '|' || CAST(created AS TEXT) || '|' || coalesce(CAST(revoked AS TEXT), '-') || '|' || coalesce(CAST(last_used AS TEXT), '-')
			FROM api_keys ORDER BY id`,
		[]string{"key_1|acc_1|live|shop|Ab12Cd34|" + sha + `|wxyz|["e-invoice:*:*:create"]|2|-|3`, "key_2|acc_2|test||Ef56Gh78|" + sha + `|abcd|["*"]|4|5|-`}},
	{"jobs", 2, 0,
		`INSERT INTO jobs (id, account_id, mode, key_id, request_id, kind, queue, state, progress, run, attempts, crashes, time_limit, created,
			started, finished, beat, expires, input_size, input_sha256, status, answer_size, answer_sha256, artifact_size, artifact_sha256,
			artifact_filename, artifact_mime, failure_code, failure_message)
			VALUES ('job_1', 'acc_1', 'live', 'key_1', 'req_1', 'generate', 'default', 'queued', 0, 0, 0, 0, 120000, 10,
			NULL, NULL, NULL, NULL, 11, '` + sha + `', 0, 0, '', 0, '', '', '', '', ''),
			('job_2', 'acc_1', 'test', 'key_1', 'req_2', 'validate', 'interactive', 'succeeded', 100, 2, 1, 1, 5000, 20,
			21, 22, 23, 24, 25, '` + sha + `', 200, 26, '` + sha + `', 27, '` + sha + `', 're.xml', 'application/xml', '', ''),
			('job_3', 'acc_2', 'live', 'key_2', 'req_3', 'parse', 'embed', 'failed', 50, 3, 3, 0, 1000, 30,
			31, 32, 33, 34, 35, '` + sha + `', 0, 0, '', 0, '', '', '', 'JOB_FAILED', 'was given up')`,
		`SELECT id || '|' || account_id || '|' || mode || '|' || key_id || '|' || request_id || '|' || kind || '|' || queue || '|' || state || '|' ||
			CAST(progress AS TEXT) || '|' || CAST(run AS TEXT) || '|' || CAST(attempts AS TEXT) || '|' || CAST(crashes AS TEXT) || '|' ||
			CAST(time_limit AS TEXT) || '|' || CAST(created AS TEXT) || '|' || coalesce(CAST(started AS TEXT), '-') || '|' ||
			coalesce(CAST(finished AS TEXT), '-') || '|' || coalesce(CAST(beat AS TEXT), '-') || '|' || coalesce(CAST(expires AS TEXT), '-') || '|' ||
			CAST(input_size AS TEXT) || '|' || input_sha256 || '|' || CAST(status AS TEXT) || '|' || CAST(answer_size AS TEXT) || '|' ||
			answer_sha256 || '|' || CAST(artifact_size AS TEXT) || '|' || artifact_sha256 || '|' || artifact_filename || '|' || artifact_mime ||
			'|' || failure_code || '|' || failure_message || '|' || CAST(rulebooks_number AS TEXT) || '|' || rulebooks_digest FROM jobs ORDER BY id`,
		[]string{
			"job_1|acc_1|live|key_1|req_1|generate|default|queued|0|0|0|0|120000|10|-|-|-|-|11|" + sha + "|0|0||0||||||0|",
			"job_2|acc_1|test|key_1|req_2|validate|interactive|succeeded|100|2|1|1|5000|20|21|22|23|24|25|" + sha + "|200|26|" + sha + "|27|" + sha +
				"|re.xml|application/xml|||0|",
			"job_3|acc_2|live|key_2|req_3|parse|embed|failed|50|3|3|0|1000|30|31|32|33|34|35|" + sha + "|0|0||0||||JOB_FAILED|was given up|0|",
		}},
	{"outbox", 2, 4,
		"INSERT INTO outbox (kind, job_id, queue, run, due, tries) VALUES ('ring', 'job_1', 'default', 1, 40, 2), ('purge', 'job_3', 'embed', 4, 50, 0)",
		"SELECT kind || '|' || queue || '|' || CAST(run AS TEXT) || '|' || CAST(due AS TEXT) || '|' || CAST(tries AS TEXT) FROM outbox ORDER BY kind",
		[]string{"purge|embed|4|50|0", "ring|default|1|40|2"}},
	{"rulebook_generations", 3, 0,
		"INSERT INTO rulebook_generations (number, digest, loaded) VALUES (1, '" + sha + "', 60)",
		"SELECT CAST(number AS TEXT) || '|' || digest || '|' || CAST(loaded AS TEXT) FROM rulebook_generations ORDER BY number",
		[]string{"1|" + sha + "|60"}},
}

// TestEverySchemaThatEverWasIsMigratedWithItsData fills the schema of each earlier level, and opens it with this version.
func TestEverySchemaThatEverWasIsMigratedWithItsData(t *testing.T) {
	newest := int64(1)
	for level := int64(1); level <= newest; level++ {
		dbtest.EachConfig(t, func(t *testing.T, cfg db.Config) { newest = migrateRelics(t, cfg, level) })
	}
	if newest < 7 {
		t.Errorf("the newest level is %d", newest)
	}
}

// migrateRelics takes one level to the newest.
func migrateRelics(t *testing.T, cfg db.Config, level int64) (newest int64) {
	t.Helper()
	var left []relic
	var statements []string
	for _, r := range relics {
		if level >= r.from && (r.until == 0 || level < r.until) {
			left, statements = append(left, r), append(statements, r.insert)
		}
	}
	newest, err := db.MigrateTo(t.Context(), cfg, level, statements...)
	if err != nil {
		t.Fatalf("level %d: %v", level, err)
	}
	d := dbtest.Reopen(t, cfg)
	for _, r := range left {
		var got []string
		if err := d.Select(t.Context(), &got, r.read); err != nil {
			t.Errorf("level %d: %v", level, err)
		}
		if diff := cmp.Diff(r.want, got); diff != "" {
			t.Errorf("level %d: %s is not what it was:\n%s", level, r.table, diff)
		}
	}
	return newest
}

// TestMigrationsOnceMadeStayAsTheyAre pins the migrations that databases out there have behind them: what they lack, a new one
// brings.
func TestMigrationsOnceMadeStayAsTheyAre(t *testing.T) {
	for name, want := range map[string]string{
		"00001_accounts.sql":  "9b65f9a76744cb3d",
		"00002_jobs.sql":      "88530892eca466c1",
		"00003_rulebooks.sql": "95b3e252a34ef376",
	} {
		text, err := fs.ReadFile(db.MigrationFiles(), "migrations/"+name)
		if err != nil {
			t.Error(err)
		}
		sum := sha256.Sum256(text)
		if got := hex.EncodeToString(sum[:8]); got != want {
			t.Errorf("%s has the SHA-256 %s…, want %s…", name, got, want)
		}
	}
}
