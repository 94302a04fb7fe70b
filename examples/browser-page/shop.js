import { createBrowserClient, localMode } from '@flagsvc/sdk-browser';

const { apiKey, baseUrl } = document.documentElement.dataset;
const visitors = {
  ada: { user_key: 'ada', attributes: { plan: 'club' } },
  bo: { user_key: 'bo', attributes: { plan: 'guest' } },
  cleo: { user_key: 'cleo', attributes: { plan: 'guest' } },
};
const find = (id) => document.getElementById(id);

// The page evaluates the rules. Without `mode` the server would evaluate, and the page would receive no rules.
const client = createBrowserClient({
  apiKey,
  baseUrl,
  context: visitors.ada,
  mode: localMode(),
  app: 'leaf-and-kettle',
  pollIntervalMs: 3000,
});

/** Renders everything that depends on a flag. The second argument of `flag` is shown until there is an answer. */
const render = () => {
  const promo = client.flag('promo', { title: '', percent: 0 });
  find('headline').textContent = client.flag('headline', 'Tea, slowly');
  find('promo').hidden = promo.percent === 0;
  find('promo').textContent = `${promo.title}: ${promo.percent} % off`;
  find('delivery').textContent = client.flag('delivery-days', 5);
  document.body.classList.toggle('new-checkout', client.flag('new-checkout', false));
  for (const button of document.querySelectorAll('[data-user]'))
    button.ariaPressed = String(button.dataset.user === client.context().user_key);

  const rows = Object.entries(client.evaluateAll()).map(([key, { value, reason }]) => {
    const row = document.createElement('tr');
    row.append(
      // A zero-width space lets the browser break a long reason after an underscore.
      ...[key, JSON.stringify(value), reason.replaceAll('_', '_\u200b')].map((text) => {
        const cell = document.createElement('td');
        cell.textContent = text;
        return cell;
      }),
    );
    return row;
  });
  find('flags').replaceChildren(...rows);
};
const showStatus = (status) => {
  find('status').textContent = status;
  find('status').dataset.is = status;
};
const log = (text) => {
  const line = document.createElement('li');
  line.textContent = `${new Date().toLocaleTimeString()} ${text}`;
  find('log').prepend(line);
};

client.on('change', (keys) => {
  log(`changed: ${keys.join(', ')}`);
  render();
});
client.on('status', showStatus);
document.addEventListener('click', async ({ target }) => {
  const { user, tea, price } = target.dataset;
  if (user) {
    await client.setContext(visitors[user]);
    log(`now shopping as ${user}`);
    render();
  }
  if (tea) {
    client.track('added-to-basket', { value: Number(price), properties: { tea } });
    log(`added ${tea} to the basket`);
  }
});
render();
showStatus(client.status());
