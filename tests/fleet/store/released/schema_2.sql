BEGIN TRANSACTION;
CREATE TABLE audits (
	id TEXT NOT NULL,
	name TEXT DEFAULT '' NOT NULL,
	started TEXT DEFAULT '' NOT NULL,
	finished TEXT,
	PRIMARY KEY (id)
);
INSERT INTO "audits" VALUES('5daead199b3e4c03a9e9843122c03da6','February','2026-11-26T07:48:57.274Z',NULL);
CREATE TABLE findings (
	run_id INTEGER NOT NULL,
	requirement TEXT NOT NULL,
	position INTEGER NOT NULL,
	check_name TEXT DEFAULT '' NOT NULL,
	verdict TEXT DEFAULT '' NOT NULL,
	blame TEXT DEFAULT '' NOT NULL,
	message TEXT DEFAULT '' NOT NULL,
	expected TEXT DEFAULT '' NOT NULL,
	actual TEXT DEFAULT '' NOT NULL,
	remedy TEXT DEFAULT '' NOT NULL,
	alert BOOLEAN NOT NULL,
	exchanges TEXT DEFAULT '[]' NOT NULL,
	PRIMARY KEY (run_id, requirement, position),
	FOREIGN KEY(run_id) REFERENCES runs (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "findings" VALUES(1,'0-duplicate-members',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'0-media-type-absent',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'0-odd-headers',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'0-redirects',1,'test_settings_carry_the_languages','observed','target','No redirect was seen.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'[]');
INSERT INTO "findings" VALUES(1,'0-server-errors',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'1.4-every-parameter',1,'test_settings_carry_the_languages','fail','target','One of the ten fields is missing.','supportedLanaguages: array of strings','a field supportedLanguages instead','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'2.1-timestamp-form',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'2.2-isErasable-present',1,'test_settings_carry_the_languages','warn','target','isErasable is missing.','supportedLanaguages: array of strings','a field supportedLanguages instead','Name the field supportedLanaguages (sic).',0,'["e2","e3"]');
INSERT INTO "findings" VALUES(1,'2.2-processingGround-values',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'2.3-supportedLanaguages',1,'test_settings_carry_the_languages','fail','target','The settings lack what the clause demands.','supportedLanaguages: array of strings','a field supportedLanguages instead','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'3-in-progress-no-completedAt',1,'test_settings_carry_the_languages','fail','target','completedAt is null while the request is in progress.','no completedAt','null','Leave completedAt out of the object until the request is completed.',0,'["e4"]');
INSERT INTO "findings" VALUES(1,'3-initial-state',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'3-parallel-deletions',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'3-transitions',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'4.1-empty-array',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'4.1-malformed-body',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'4.1-other-json',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'4.1-other-media-types',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'4.1-repeated-type',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'4.1-server-errors',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'4.1-transfer-forms',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'4.2-completed-request',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'4.2-odd-identifiers',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'4.2-other-forms',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'4.3-answers-ok',1,'test_deleting_a_request_answers_ok','fail','target','The body is a JSON string, not plain text.','OK','"OK"','Answer 200 with the two letters OK as the whole body.',0,'["e6","e5","e7","e4","e8"]');
INSERT INTO "findings" VALUES(1,'4.3-answers-ok',2,'test_settings_carry_the_languages','fail','target','A second thing about it.','supportedLanaguages: array of strings','a field supportedLanguages instead','Name the field supportedLanaguages (sic).',0,'["e10"]');
INSERT INTO "findings" VALUES(1,'4.3-media-type-absent',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'4.3-trailing-line-feed',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'4.5-language-choice',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'4.5-languages-differ',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'4.5-malformed-language',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'4.6-shape',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'5-credential-forms',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'5-existence-shown',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'5-isolation',1,'test_settings_carry_the_languages','observed','target','Another user could read the request.','supportedLanaguages: array of strings','a field supportedLanguages instead','Name the field supportedLanaguages (sic).',1,'["e5"]');
INSERT INTO "findings" VALUES(1,'5-session-cookie',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'5-token-in-query',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'5-token-over-http',1,'test_settings_carry_the_languages','observed','target','The tokens are sent over http.','supportedLanaguages: array of strings','a field supportedLanguages instead','Name the field supportedLanaguages (sic).',1,'["e1"]');
INSERT INTO "findings" VALUES(1,'5.3-www-authenticate',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'7-other-errors',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
INSERT INTO "findings" VALUES(1,'8-accepts-up-to-limit',1,'test_settings_carry_the_languages','inconclusive','credential','The access token expired.','','','Use --token-command, and run again.',0,'["e9"]');
INSERT INTO "findings" VALUES(1,'8-completed-do-not-count',1,'test_settings_carry_the_languages','inconclusive','network','The target did not answer.','supportedLanaguages: array of strings','a field supportedLanguages instead','Try again when it does.',0,'["e8"]');
INSERT INTO "findings" VALUES(1,'8-limit-enforced',1,'test_settings_carry_the_languages','inconclusive','credential','The access token expired.','','','Use --token-command, and run again.',0,'["e9"]');
INSERT INTO "findings" VALUES(1,'8-other-limits',1,'test_settings_carry_the_languages','observed','target','As usual.','supportedLanaguages: array of strings','','Name the field supportedLanaguages (sic).',0,'["e1"]');
CREATE TABLE former_bundles (
	bundle TEXT NOT NULL,
	run_id INTEGER NOT NULL,
	replaced TEXT DEFAULT '' NOT NULL,
	PRIMARY KEY (bundle),
	FOREIGN KEY(run_id) REFERENCES runs (id) ON DELETE CASCADE
);
CREATE TABLE parties (
	"key" TEXT NOT NULL,
	name TEXT DEFAULT '' NOT NULL,
	public_key TEXT DEFAULT '' NOT NULL,
	recorded TEXT DEFAULT '' NOT NULL,
	PRIMARY KEY ("key")
);
CREATE TABLE publications (
	target_id INTEGER NOT NULL,
	basis TEXT DEFAULT '' NOT NULL,
	statement TEXT DEFAULT '' NOT NULL,
	stated TEXT DEFAULT '' NOT NULL,
	since TEXT DEFAULT '' NOT NULL,
	recorded TEXT DEFAULT '' NOT NULL,
	ended TEXT DEFAULT '' NOT NULL,
	PRIMARY KEY (target_id),
	CONSTRAINT basis_of_publication CHECK (basis IN ('consent', 'authority')),
	FOREIGN KEY(target_id) REFERENCES targets (id) ON DELETE CASCADE
);
CREATE TABLE runs (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	target_id INTEGER NOT NULL,
	audit_id TEXT,
	base_url TEXT DEFAULT '' NOT NULL,
	started TEXT DEFAULT '' NOT NULL,
	finished TEXT DEFAULT '' NOT NULL,
	outcome TEXT DEFAULT '' NOT NULL,
	complete BOOLEAN NOT NULL,
	profile TEXT DEFAULT '' NOT NULL,
	requirement_set TEXT DEFAULT '' NOT NULL,
	testable INTEGER NOT NULL,
	decided INTEGER NOT NULL,
	passed INTEGER NOT NULL,
	failed INTEGER NOT NULL,
	warnings INTEGER NOT NULL,
	waived INTEGER NOT NULL,
	alerts INTEGER NOT NULL,
	exchanges INTEGER NOT NULL,
	left_behind INTEGER NOT NULL,
	suite_version TEXT DEFAULT '' NOT NULL,
	suite_build TEXT DEFAULT '' NOT NULL,
	catalogue TEXT DEFAULT '' NOT NULL,
	edition TEXT DEFAULT '' NOT NULL,
	labels TEXT DEFAULT '{}' NOT NULL,
	evidence TEXT DEFAULT '' NOT NULL,
	report TEXT DEFAULT '' NOT NULL,
	bundle TEXT NOT NULL,
	bundle_size INTEGER NOT NULL,
	added TEXT DEFAULT '' NOT NULL,
	FOREIGN KEY(target_id) REFERENCES targets (id),
	FOREIGN KEY(audit_id) REFERENCES audits (id)
);
INSERT INTO "runs" VALUES(1,1,'5daead199b3e4c03a9e9843122c03da6','https://data.example.org/api/v1','2026-01-31T12:00:00.000Z','2026-01-31T12:00:01.250Z','does-not-conform',1,'full','',92,85,81,4,1,1,2,212,0,'0.1.0','sha256:d78ba0174ee2eec3990eb4e3b532c959ad139f2de57f26ec019299ffec752f66','sha256:ce123d915d8cbe065238203bf6efa40f92450380e31735c47e53b1b14851a537','sha256:3461e82016eb0168b792d40d93702fbd9a46107f2e881fcf89304e9b905a383e','{}','sha256:c29df5ae4c67fd5aaa90d4bcbbce51af3bb585662f95e65ee67f73dc4cf49181','sha256:2e081b5d446375bd33e20db9310192e16066aea0b9550d27a98412101097281e','8334f7c2f5f014458b1f0efa9d1547c8f46b454b08184e9744ae50428c29e7b7',139603,'2026-11-26T07:48:57.354Z');
CREATE TABLE settings (
	name TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (name)
);
INSERT INTO "settings" VALUES('evidence','');
CREATE TABLE statements (
	run_id INTEGER NOT NULL,
	kind TEXT NOT NULL,
	position INTEGER NOT NULL,
	requirement TEXT DEFAULT '' NOT NULL,
	statement TEXT DEFAULT '' NOT NULL,
	name TEXT DEFAULT '' NOT NULL,
	stated TEXT DEFAULT '' NOT NULL,
	expires TEXT DEFAULT '' NOT NULL,
	state TEXT DEFAULT '' NOT NULL,
	finding TEXT DEFAULT '' NOT NULL,
	document TEXT DEFAULT '' NOT NULL,
	document_sha256 TEXT DEFAULT '' NOT NULL,
	"key" TEXT DEFAULT '' NOT NULL,
	PRIMARY KEY (run_id, kind, position),
	CONSTRAINT kind_of_statement CHECK (kind IN ('attestation', 'reply', 'waiver')),
	FOREIGN KEY(run_id) REFERENCES runs (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "statements" VALUES(1,'waiver',1,'4.3-answers-ok','Fixed in the next release.','Team A','','2026-03-31','in-force','','','','');
CREATE TABLE store_schema (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT store_schema_pkc PRIMARY KEY (version_num)
);
INSERT INTO "store_schema" VALUES('2');
CREATE TABLE targets (
	id INTEGER NOT NULL,
	name TEXT NOT NULL,
	base_url TEXT DEFAULT '' NOT NULL,
	authority TEXT DEFAULT '' NOT NULL,
	labels TEXT DEFAULT '{}' NOT NULL,
	PRIMARY KEY (id),
	UNIQUE (name)
);
INSERT INTO "targets" VALUES(1,'example','https://data.example.org/api/v1','','{}');
CREATE TABLE verdicts (
	run_id INTEGER NOT NULL,
	requirement TEXT NOT NULL,
	position INTEGER NOT NULL,
	clause TEXT DEFAULT '' NOT NULL,
	level TEXT DEFAULT '' NOT NULL,
	basis TEXT DEFAULT '' NOT NULL,
	verdict TEXT DEFAULT '' NOT NULL,
	alert BOOLEAN NOT NULL,
	waived BOOLEAN NOT NULL,
	scored BOOLEAN NOT NULL,
	reason TEXT DEFAULT '' NOT NULL,
	PRIMARY KEY (run_id, requirement),
	FOREIGN KEY(run_id) REFERENCES runs (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "verdicts" VALUES(1,'0-bodies-are-json',1,'0','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'0-duplicate-members',4,'0','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'0-json-media-type',2,'0','should','advice','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'0-media-type-absent',3,'0','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'0-odd-headers',7,'0','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'0-redirects',5,'0','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'0-server-errors',6,'0','open','stated','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'1.4-every-parameter',8,'1.4','must','stated','fail',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-completedAt',23,'2.1','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-completedAt-value',24,'2.1','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-createdAt',17,'2.1','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-createdAt-precise',19,'2.1','should','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-createdAt-value',18,'2.1','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-dataRequested',25,'2.1','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-dataRequested-known',26,'2.1','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-date-time-form',28,'2.1','should','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-expectedCompletion',20,'2.1','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-isCompleted',21,'2.1','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-isCompleted-value',22,'2.1','must','stated','not-tested',0,0,1,'The organisation completes a request outside the interface, so a client sees only what isCompleted says of it.');
INSERT INTO "verdicts" VALUES(1,'2.1-requestId',9,'2.1','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-requestId-all-random',13,'2.1','should','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-requestId-not-incremental',15,'2.1','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-requestId-not-time-ordered',14,'2.1','should','advice','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-requestId-random',12,'2.1','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-requestId-unique',11,'2.1','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-requestId-unrelated',16,'2.1','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-requestId-version',10,'2.1','should','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.1-timestamp-form',27,'2.1','open','stated','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.2-context',35,'2.2','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.2-context-link-like',36,'2.2','should','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.2-context-present',37,'2.2','should','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.2-description',33,'2.2','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.2-description-present',34,'2.2','should','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.2-isErasable',41,'2.2','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.2-isErasable-present',42,'2.2','should','inferred','warn',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.2-isErasable-value',43,'2.2','must','stated','not-tested',0,0,1,'The interface has no operation that erases data, so a client cannot see whether they can be erased.');
INSERT INTO "verdicts" VALUES(1,'2.2-isRectifiable',44,'2.2','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.2-isRectifiable-present',45,'2.2','should','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.2-isRectifiable-value',46,'2.2','must','stated','not-tested',0,0,1,'The interface has no operation that rectifies data, so a client cannot see whether they can be rectified.');
INSERT INTO "verdicts" VALUES(1,'2.2-not-empty',47,'2.2','should','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.2-processingGround',38,'2.2','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.2-processingGround-present',39,'2.2','should','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.2-processingGround-values',40,'2.2','open','stated','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.2-type',29,'2.2','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.2-type-in-every-language',32,'2.2','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.2-type-listed-once',31,'2.2','should','advice','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.2-type-unique',30,'2.2','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.3-forgotPasswordLink',48,'2.3','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.3-legalEntity',49,'2.3','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.3-links-http',61,'2.3','should','advice','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.3-maxNumberOfRequests',50,'2.3','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.3-names-not-empty',62,'2.3','should','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.3-oAuthClientId',51,'2.3','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.3-oAuthClientId-usable',52,'2.3','must','stated','not-tested',0,0,1,'The grant type and the path of the token endpoint are not shown (5.5), so the suite cannot use the identifier.');
INSERT INTO "verdicts" VALUES(1,'2.3-oAuthUrl',53,'2.3','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.3-oAuthUrl-usable',54,'2.3','must','stated','not-tested',0,0,1,'The paths below that address are not shown (5.5), so no call would prove that it is or is not the OAuth server; the suite never calls it.');
INSERT INTO "verdicts" VALUES(1,'2.3-organisationName',55,'2.3','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.3-privacyContactEmail',57,'2.3','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.3-privacyContactEmail-form',58,'2.3','should','advice','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.3-privacyPolicy',56,'2.3','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.3-supportedLanaguages',59,'2.3','must','stated','fail',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.3-termsOfService',60,'2.3','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.4-error',64,'2.4','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.4-message',65,'2.4','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'2.4-object',63,'2.4','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'3-deletes-completed',73,'3','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'3-deletes-no-other',72,'3','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'3-erases-gathered',74,'3','must','stated','not-tested',0,0,1,'The interface does not show the data that the organisation has gathered.');
INSERT INTO "verdicts" VALUES(1,'3-frees-the-limit',70,'3','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'3-frees-the-limit-in-parallel',71,'3','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'3-in-progress-no-completedAt',66,'3','must','stated','fail',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'3-initial-state',75,'3','open','stated','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'3-parallel-deletions',69,'3','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'3-removed',67,'3','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'3-removed-in-parallel',68,'3','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'3-transitions',76,'3','open','stated','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.1-answers-200',77,'4.1','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.1-body-omitted',80,'4.1','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.1-creates-in-parallel',83,'4.1','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.1-empty-array',86,'4.1','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.1-empty-body-labelled',81,'4.1','should','advice','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.1-malformed-body',84,'4.1','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.1-object',78,'4.1','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.1-other-json',85,'4.1','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.1-other-media-types',89,'4.1','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.1-refused-creates-nothing',82,'4.1','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.1-repeated-type',87,'4.1','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.1-requested-types',79,'4.1','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.1-server-errors',91,'4.1','open','stated','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.1-similar-type',88,'4.1','should','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.1-transfer-forms',90,'4.1','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.2-agrees-with-creation',94,'4.2','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.2-answers-200',92,'4.2','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.2-answers-while-deleted',95,'4.2','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.2-completed-request',96,'4.2','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.2-object',93,'4.2','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.2-odd-identifiers',97,'4.2','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.2-other-forms',98,'4.2','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.3-answers-ok',99,'4.3','must','stated','fail',0,1,1,'');
INSERT INTO "verdicts" VALUES(1,'4.3-media-type',100,'4.3','should','advice','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.3-media-type-absent',101,'4.3','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.3-trailing-line-feed',102,'4.3','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.4-answers-200',103,'4.4','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.4-object',104,'4.4','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.5-answers-200',105,'4.5','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.5-array',106,'4.5','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.5-complete-overview',111,'4.5','must','stated','not-tested',0,0,1,'The interface does not show what the legal entity processes.');
INSERT INTO "verdicts" VALUES(1,'4.5-language-choice',108,'4.5','open','stated','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.5-languages-differ',109,'4.5','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.5-malformed-language',110,'4.5','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.5-supported-languages',107,'4.5','must','inferred','not-applicable',0,0,1,'No usual way of choosing a language has an effect.');
INSERT INTO "verdicts" VALUES(1,'4.6-account',113,'4.6','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.6-exists',112,'4.6','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.6-shape',115,'4.6','open','stated','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'4.6-types',114,'4.6','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5-credential-forms',129,'5','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5-existence-shown',134,'5','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5-isolation',133,'5','open','inferred','observed',1,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5-session-cookie',132,'5','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5-token-in-query',130,'5','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5-token-over-http',131,'5','open','inferred','observed',1,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5.1-accepts-bearer',116,'5.1','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5.3-create-with-bad-token',118,'5.3','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5.3-create-without-token',117,'5.3','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5.3-delete-with-bad-token',122,'5.3','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5.3-delete-without-token',121,'5.3','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5.3-letter-case',123,'5.3','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5.3-read-with-bad-token',120,'5.3','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5.3-read-without-token',119,'5.3','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5.3-rejected-delete-deletes-nothing',124,'5.3','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5.3-www-authenticate',125,'5.3','open','inferred','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5.4-data-without-token',127,'5.4','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5.4-settings-without-token',126,'5.4','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'5.5-oauth-details',128,'5.5','open','stated','not-tested',0,0,1,'They belong to the OAuth server, which is not part of this interface; the suite never calls it.');
INSERT INTO "verdicts" VALUES(1,'6-events',135,'6','open','stated','not-tested',0,0,1,'The specification names no way to receive an event.');
INSERT INTO "verdicts" VALUES(1,'7-invalid-data-types',139,'7','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'7-invalid-data-types-error',140,'7','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'7-invalid-data-types-message',141,'7','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'7-language-not-supported',142,'7','must','stated','not-applicable',0,0,1,'No usual way of choosing a language has an effect.');
INSERT INTO "verdicts" VALUES(1,'7-language-not-supported-error',143,'7','must','stated','not-applicable',0,0,1,'No usual way of choosing a language has an effect.');
INSERT INTO "verdicts" VALUES(1,'7-language-not-supported-message',144,'7','must','stated','not-applicable',0,0,1,'No usual way of choosing a language has an effect.');
INSERT INTO "verdicts" VALUES(1,'7-limit-reached',136,'7','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'7-limit-reached-error',137,'7','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'7-limit-reached-message',138,'7','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'7-not-found',147,'7','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'7-not-found-error',148,'7','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'7-not-found-message',149,'7','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'7-other-errors',150,'7','open','stated','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'7-unauthorized-error',145,'7','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'7-unauthorized-message',146,'7','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'8-accepts-up-to-limit',153,'8','must','inferred','inconclusive',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'8-completed-do-not-count',154,'8','must','inferred','inconclusive',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'8-limit-enforced',151,'8','must','stated','inconclusive',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'8-limit-enforced-in-parallel',152,'8','must','stated','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'8-other-limits',155,'8','open','stated','observed',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'9-context-replaces-schemaUrl',156,'9','must','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'9-schemaUrl-removed',157,'9','should','inferred','pass',0,0,1,'');
INSERT INTO "verdicts" VALUES(1,'9-versioning',158,'9','open','stated','not-tested',0,0,1,'The specification names no way to ask for a version.');
CREATE TABLE withdrawals (
	run_id INTEGER NOT NULL,
	reason TEXT DEFAULT '' NOT NULL,
	stated TEXT DEFAULT '' NOT NULL,
	recorded TEXT DEFAULT '' NOT NULL,
	PRIMARY KEY (run_id),
	FOREIGN KEY(run_id) REFERENCES runs (id) ON DELETE CASCADE
);
CREATE TABLE witnesses (
	run_id INTEGER NOT NULL,
	sha256 TEXT NOT NULL,
	bundle TEXT DEFAULT '' NOT NULL,
	envelope TEXT DEFAULT '' NOT NULL,
	recorded TEXT DEFAULT '' NOT NULL,
	PRIMARY KEY (run_id, sha256),
	FOREIGN KEY(run_id) REFERENCES runs (id) ON DELETE CASCADE
);
CREATE INDEX ix_runs_audit_id ON runs (audit_id);
CREATE INDEX ix_runs_bundle ON runs (bundle);
CREATE INDEX runs_of_target ON runs (target_id, started, id);
CREATE UNIQUE INDEX one_run ON runs (evidence, started, base_url);
CREATE VIEW latest_runs AS
SELECT r.id, t.name AS target, r.audit_id AS audit, r.base_url, r.started, r.finished, r.outcome, r.complete, r.profile,
    r.requirement_set, r.testable, r.decided, r.passed, r.failed, r.warnings, r.waived, r.alerts, r.exchanges,
    r.left_behind, r.suite_version, r.suite_build, r.catalogue, r.edition, r.labels, r.evidence, r.report, r.bundle,
    r.bundle_size, r.added, r.target_id,
    (SELECT count(*) FROM runs AS every WHERE every.target_id = t.id) AS runs
FROM targets AS t
JOIN runs AS r ON r.id = (
    SELECT latest.id FROM runs AS latest WHERE latest.target_id = t.id
    ORDER BY latest.started DESC, latest.id DESC LIMIT 1
);
CREATE VIEW latest_verdicts AS
SELECT l.target, l.id AS run, l.base_url, l.started, l.outcome, v.requirement, v.position, v.clause, v.level, v.basis,
    v.verdict, v.alert, v.waived, v.scored, v.reason
FROM latest_runs AS l
JOIN verdicts AS v ON v.run_id = l.id;
CREATE VIEW failing_requirements AS
SELECT v.requirement, v.clause, l.target, l.id AS run, l.base_url, l.started,
    (
        SELECT min(r.started) FROM runs AS r
        JOIN verdicts AS f ON f.run_id = r.id AND f.requirement = v.requirement AND f.verdict = 'fail'
        WHERE r.target_id = l.target_id AND r.started > coalesce((
            SELECT max(s.started) FROM runs AS s
            JOIN verdicts AS p ON p.run_id = s.id AND p.requirement = v.requirement AND p.verdict = 'pass'
            WHERE s.target_id = l.target_id
        ), '')
    ) AS since,
    v.waived,
    coalesce((
        SELECT g.message FROM findings AS g
        WHERE g.run_id = l.id AND g.requirement = v.requirement AND g.verdict = 'fail' ORDER BY g.position LIMIT 1
    ), '') AS message
FROM latest_runs AS l
JOIN verdicts AS v ON v.run_id = l.id
WHERE v.verdict = 'fail' AND v.scored;
CREATE VIEW regressions AS
SELECT f.requirement, f.clause, f.target, f.run, f.base_url, f.started, f.since, f.waived, f.message,
    b.id AS run_before, b.started AS started_before, r.suite_build, b.suite_build AS suite_build_before
FROM failing_requirements AS f
JOIN runs AS r ON r.id = f.run
JOIN runs AS b ON b.id = (
    SELECT s.id FROM runs AS s
    JOIN verdicts AS d ON d.run_id = s.id AND d.requirement = f.requirement AND d.verdict IN ('pass', 'fail')
    WHERE s.target_id = r.target_id AND (s.started, s.id) < (r.started, r.id)
    ORDER BY s.started DESC, s.id DESC LIMIT 1
)
JOIN verdicts AS p ON p.run_id = b.id AND p.requirement = f.requirement AND p.verdict = 'pass';
CREATE INDEX ix_former_bundles_run_id ON former_bundles (run_id);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('runs',1);
COMMIT;
