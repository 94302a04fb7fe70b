import { createApp, defineComponent, h } from 'vue';
import { flagClient, useFlag } from '../vue.ts';
import type { Mount } from './page-client.ts';

const Part = defineComponent({
  props: { name: { type: String, required: true } },
  setup(props) {
    const value = useFlag(props.name, 'default');
    return () => h('p', value.value);
  },
});

export const mount: Mount = (client, target) => {
  const app = createApp(() => [h(Part, { name: 'colour' }), h(Part, { name: 'size' })]);
  app.provide(flagClient, client);
  app.mount(target);
  return () => app.unmount();
};
