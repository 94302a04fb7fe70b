import { bodilessParts, confirmEverywhere, confirmIn, showWritten, writeParts } from '../changes/write.ts';
import { commandLine, withCommands } from '../help/hints.ts';
import { readCount, readVariation } from '../input/values.ts';
import { findFlag, findPlace, listEnvironments, type Place } from '../lookup/find.ts';
import { usageError } from '../output/errors.ts';
import { renderFlag } from '../output/render-flag.ts';
import { renderTable } from '../output/table.ts';
import { type Argument, type Command, WRITE_OPTIONS } from '../session/command.ts';

export const FLAG_KEY: Argument = { name: 'flag', summary: 'Key of the flag' };

const list: Command = {
  name: 'flags list',
  summary: 'List the flags of an environment',
  options: ['project', 'environment', 'status', 'type', 'search', 'tag', 'limit'],
  says: { type: 'Only flags of this type.', tag: 'Only flags with this tag.' },
  examples: [
    'flags list',
    'flags list -e production --status inactive',
    'flags list --search checkout --json',
  ],
  async run(session, { options }) {
    if ((options.tag?.length ?? 0) > 1) throw usageError('A list can be of one --tag only.');
    const { api, environment } = await findPlace(session, { isDefaultGood: true });
    const query = {
      environment_id: environment.id,
      status: options.status,
      flag_type: options.type,
      search: options.search,
      tag: options.tag?.[0],
      sort: 'key',
      order: 'asc',
    } as const;
    const most = readCount('--limit', options.limit, 100);
    const { meta } = await api.list('GET /flags', { query: { ...query, per_page: 1 } });
    const flags = await api.all('GET /flags', { query }, most);
    session.show(flags, () => {
      const table = renderTable(flags, [
        { head: 'FLAG', cell: ({ key }) => key },
        { head: 'ON', cell: ({ enabled }) => enabled },
        { head: 'STATUS', cell: ({ status }) => status },
        { head: 'TYPE', cell: (flag) => flag.flag_type },
        { head: 'DEFAULT', cell: (flag) => flag.default_variation },
        { head: 'RULES', cell: (flag) => flag.targeting_rules_count, align: 'right' },
        { head: 'UPDATED', cell: (flag) => flag.updated_at },
      ]);
      const more = meta.total > flags.length ? `${flags.length} of ${meta.total}; --limit shows more.\n` : '';
      return flags.length === 0 ? `There are no such flags in ${environment.key}.\n` : table + more;
    });
  },
};

const get: Command = {
  name: 'flags get',
  summary: 'Show a flag in one environment, with its rules',
  args: [FLAG_KEY],
  options: ['project', 'environment'],
  async run(session, { args }) {
    const place = await findPlace(session, { isDefaultGood: true });
    const flag = await findFlag(session, place, args[0]!);
    session.show(flag, () => renderFlag(flag, place.environment.key));
  },
};

const BOOLEAN_VARIATIONS = [
  { key: 'on', name: 'On', value: true },
  { key: 'off', name: 'Off', value: false },
];

const create: Command = {
  name: 'flags create',
  summary: 'Create a flag; it is off in every environment',
  args: [{ ...FLAG_KEY, summary: 'Key of the new flag: lowercase letters, digits and hyphens' }],
  options: [
    'project',
    'name',
    'description',
    'type',
    'variation',
    'default',
    'tag',
    'classification',
    'client-side',
    'draft',
    ...WRITE_OPTIONS,
  ],
  examples: [
    'flags create new-checkout --tag checkout --description "The checkout in one page"',
    'flags create cta --type string --variation a="Buy now" --variation b="Order" --default a',
  ],
  async run(session, { args, options }) {
    const place = await findPlace(session, { isDefaultGood: true });
    const { api, environment } = place;
    const flagType = options.type ?? 'boolean';
    const given = options.variation?.map((text) => readVariation(text, flagType));
    if (given === undefined && flagType !== 'boolean') {
      throw usageError(`A ${flagType} flag needs its variations.`, 'Give each with --variation key=value.');
    }
    const variations = given ?? BOOLEAN_VARIATIONS;
    const { headers, query } = writeParts(session);
    const answer = await api.change('POST /flags', {
      headers,
      query: { ...query, environment_id: environment.id },
      body: {
        key: args[0]!,
        name: options.name ?? args[0]!,
        flag_type: flagType,
        variations,
        default_variation: options.default ?? variations.at(-1)!.key,
        description: options.description,
        tags: options.tag,
        classification: options.classification,
        client_side: options['client-side'],
        draft: options.draft,
        comment: options.comment,
      },
    });
    showWritten(session, answer, ({ key, status }) =>
      status === 'draft'
        ? `${withCommands(
            `Created ${key}, a draft: nobody is served it until it is activated.`,
            commandLine(session, ['flags', 'activate', key], { project: place.project }),
          )}\n`
        : `${withCommands(
            `Created ${key}. It is off everywhere; this turns it on in ${environment.key}:`,
            commandLine(session, ['flags', 'toggle', key, 'on'], place),
          )}\n`,
    );
  },
};

const toggle: Command = {
  name: 'flags toggle',
  summary: 'Turn a flag on or off in one environment',
  args: [FLAG_KEY, { name: 'state', summary: 'What it shall be', values: ['on', 'off'] }],
  options: ['project', 'environment', 'yes', ...WRITE_OPTIONS],
  examples: ['flags toggle new-checkout on -e production -m "Launch"'],
  async run(session, { args, options }) {
    const place = await findPlace(session, { isDefaultGood: false });
    const flag = await findFlag(session, place, args[0]!);
    await confirmIn(session, place, `Turn ${flag.key} ${args[1]}`);
    const { headers, query } = writeParts(session);
    const answer = await place.api.change('POST /flags/{flag_id}/toggle', {
      params: { flag_id: flag.id },
      headers,
      query: { ...query, environment_id: place.environment.id },
      body: { enabled: args[1] === 'on', comment: options.comment },
    });
    showWritten(session, answer, () => {
      const was = flag.enabled === (args[1] === 'on') ? ' already' : '';
      return `${flag.key} is${was} ${args[1]} in ${place.environment.key}.\n`;
    });
  },
};

const activate: Command = {
  name: 'flags activate',
  summary: 'Put a draft into the rulesets of every environment',
  args: [FLAG_KEY],
  options: ['project', 'yes', ...WRITE_OPTIONS],
  run: async (session, { args, options }) => {
    const place = await findPlace(session, { isDefaultGood: true });
    const flag = await findFlag(session, place, args[0]!);
    await confirmEverywhere(session, await everywhere(place), `Activate ${flag.key}`);
    const { headers, query } = writeParts(session);
    const answer = await place.api.change('POST /flags/{flag_id}/activate', {
      params: { flag_id: flag.id },
      headers,
      query: { ...query, environment_id: place.environment.id },
      body: { comment: options.comment },
    });
    showWritten(session, answer, ({ key }) => `${key} is active.\n`);
  },
};

const archive: Command = {
  name: 'flags archive',
  summary: 'Archive a flag; every environment then serves its default variation',
  args: [FLAG_KEY],
  options: ['project', 'yes', ...WRITE_OPTIONS],
  run: async (session, { args }) => {
    const place = await findPlace(session, { isDefaultGood: true });
    const flag = await findFlag(session, place, args[0]!);
    await confirmEverywhere(session, await everywhere(place), `Archive ${flag.key}`);
    const { headers, query } = bodilessParts(session);
    const answer = await place.api.change('DELETE /flags/{flag_id}', {
      params: { flag_id: flag.id },
      headers,
      query: { ...query, environment_id: place.environment.id },
    });
    const done = answer ?? { id: flag.id, key: flag.key, status: 'archived' };
    showWritten(session, done, () => `Archived ${flag.key}.\n`);
  },
};

async function everywhere({ api, project }: Place) {
  return { project, environments: await listEnvironments(api, project) };
}

export const flagCommands: readonly Command[] = [list, get, create, toggle, activate, archive];
