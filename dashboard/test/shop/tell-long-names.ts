import { booleanFlag } from '../../../reference-server/test/server.ts';
import type { Event } from './story.ts';
import { DAY_MS, type World } from './world.ts';

const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';

/** Names of the second project: each would break a page that trusts names. */
export const longNames: readonly string[] = [
  `${LONG}${LONG}`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: pages must show this text as it is
  '<img src=x onerror="alert(1)"> & <b>bold</b> {{constructor}} ${7*7}',
  'مرحبا بالعالم – علم طويل باللغة العربية مع English في الوسط',
  '🏴‍☠️👩‍👩‍👧‍👦 تجربة 实验性功能开关 フィーチャーフラグ ฟีเจอร์',
  'a'.repeat(200),
];

/** A second project whose names are long, foreign and hostile. */
export function tellLongNames(world: World): readonly Event[] {
  return [
    {
      agoMs: 9 * DAY_MS,
      run: async () => {
        const api = await world.as('admin');
        const { id } = await api.projects.create({
          key: 'long-names',
          name: `${LONG} & <script>alert(1)</script>`,
          environments: [
            { key: 'development', name: LONG, type: 'development' },
            { key: 'production', name: '生产环境 <i>production</i> بيئة الإنتاج', type: 'production' },
          ],
        });
        const [environment] = await api.environments.listOf(id);
        for (const [index, name] of longNames.entries())
          await api.in(environment!.id).flags.create(
            booleanFlag(index === 0 ? 'x'.repeat(100) : `name-${index}`, {
              name,
              description: `${name} `.repeat(4),
              tags: ['a-tag-that-goes-on-and-on-and-on-and-on', `t${index}`, 'two', 'three', 'four', 'five'],
            }),
          );
        await api.segments.create(id, { key: 'long', name: longNames[1]!, conditions: [] });
      },
    },
  ];
}
