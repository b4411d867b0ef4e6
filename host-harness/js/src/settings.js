// What the host's owner decided, with every default written out, so that the component and the guard read
// one and the same decision.

/** Objects that no tool touches, where nothing else is said (contract 3). */
export const SYSTEM_OBJECTS = ['sys_*', 'sqlite_*', 'pg_*', 'information_schema.*'];

const MEMBERS = ['target', 'tools', 'objects', 'defaultRule', 'rules', 'eventLogs', 'systemObjects', 'handOff'];
const LOG = ['name', 'object', 'scope', 'time', 'kind', 'subject', 'tags'];
const RULE = ['object', 'consent', 'cap', 'scope', 'unfiltered'];
const TOOLS = ['deleteRecords', 'deleteRecord', 'deleteEvents', 'listObjects'];

/** The settings as the component takes them; a member that it does not know is refused with what is allowed. */
export function complete(given = {}) {
  known(given, MEMBERS, 'settings');
  const target = { name: 'local', environment: 'dev', production: false, ...said(given.target) };
  known(target, ['name', 'environment', 'production'], 'settings.target');
  const byDefault = {
    object: '',
    // In production forgetting costs most: a person types what would go, and no filter means every record.
    consent: target.production ? 'typed' : 'attest',
    cap: 200,
    scope: [],
    unfiltered: !target.production,
    ...said(given.defaultRule),
  };
  known(byDefault, RULE, 'settings.defaultRule');
  const rules = (given.rules ?? []).map((rule, at) => {
    known(rule, RULE, `settings.rules[${at}]`);
    return { ...byDefault, ...said(rule) };
  });
  // A log is called by its object's name where it has none of its own.
  const eventLogs = (given.eventLogs ?? []).map((log, at) => {
    known(log, LOG, `settings.eventLogs[${at}]`);
    return { ...log, name: log.name ?? log.object };
  });
  const tools = given.tools ?? {
    deleteRecords: true,
    deleteRecord: true,
    deleteEvents: eventLogs.length > 0,
    listObjects: true,
  };
  known(tools, TOOLS, 'settings.tools');
  return {
    target,
    tools,
    objects: given.objects ?? [],
    defaultRule: byDefault,
    rules,
    eventLogs,
    systemObjects: given.systemObjects ?? SYSTEM_OBJECTS,
    handOff: given.handOff,
  };
}

/** The rule that holds for an object. */
export function ruleOf(settings, object) {
  return settings.rules.find((rule) => rule.object === object) ?? settings.defaultRule;
}

/** Whether a name matches the settings' patterns, whole or after its last dot, in any case. */
export function isSystemObject(settings, object) {
  const names = [object, object.slice(object.lastIndexOf('.') + 1)].map((name) => name.toLowerCase());
  return settings.systemObjects.some((pattern) => names.some((name) => matches(pattern.toLowerCase(), name)));
}

function matches(pattern, name) {
  const inner = pattern.replace(/^\*+|\*+$/g, '');
  const [open, close] = [pattern.startsWith('*'), pattern.endsWith('*')];
  if (open && close) return name.includes(inner);
  if (open) return name.endsWith(inner);
  return close ? name.startsWith(inner) : name === pattern;
}

/** What is said: a member that is undefined is as one that is not there. */
function said(given = {}) {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function known(value, members, at) {
  const odd = Object.keys(value).find((name) => !members.includes(name));
  if (odd !== undefined) throw new TypeError(`${at} has no member ${JSON.stringify(odd)}; it takes ${members.join(', ')}`);
}
