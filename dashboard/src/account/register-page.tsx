import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { toProblem } from '../api/problem.ts';
import { AccountFrame } from '../app/account/account-frame.tsx';
import { useApi, useServices } from '../app/services.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Link } from '../ui/link.tsx';
import { Skeleton } from '../ui/surface.tsx';
import { TextField } from '../ui/text-field.tsx';
import { EmailField, NameField, NewPasswordField } from './account-fields.tsx';
import { t } from './messages.ts';
import { useAccountForm } from './use-account-form.ts';

/** The first page of a fresh installation, and the way in where registration is open. */
export function RegisterPage() {
  const api = useApi();
  const instance = useQuery({
    queryKey: ['instance'],
    staleTime: 0,
    queryFn: async () => (await unwrap(api.GET('/api/v1/instance'))).data,
  });
  if (instance.error)
    return (
      <AccountFrame title={t.register.title}>
        <ErrorState problem={toProblem(instance.error)} onRetry={() => void instance.refetch()} />
      </AccountFrame>
    );
  if (instance.data === undefined)
    return (
      <AccountFrame title="">
        <Skeleton />
      </AccountFrame>
    );
  const { has_users: hasUsers, registration } = instance.data;
  if (!hasUsers) return <FirstRun />;
  return registration === 'open' ? <Registration /> : <Closed />;
}

function FirstRun() {
  const api = useApi();
  const [project, setProject] = useState('');
  const register = useRegistration();
  const form = useAccountForm(async () => {
    await register.send();
    if (project.trim() !== '') await nameProject(api, project.trim());
    register.enter();
  });
  return (
    <AccountFrame title={t.first.title} intro={t.first.intro} foot={t.first.foot} isWide>
      <Form onSubmit={form.submit} errors={form.errors}>
        {form.problem && <ErrorState problem={form.problem} />}
        <RegistrationFields register={register} />
        <TextField
          label={t.first.project}
          help={t.first.projectHelp}
          value={project}
          onChange={setProject}
          maxLength={200}
        />
        <Button kind="main" type="submit" isWide isPending={form.isPending}>
          {t.first.submit}
        </Button>
      </Form>
    </AccountFrame>
  );
}

function Registration() {
  const register = useRegistration();
  const form = useAccountForm(async () => {
    await register.send();
    register.enter();
  });
  return (
    <AccountFrame
      title={t.register.title}
      intro={t.register.intro}
      foot={
        <>
          {t.register.have} <Link href="/signin">{t.signIn}</Link>
        </>
      }
    >
      <Form onSubmit={form.submit} errors={form.errors}>
        {form.problem && <ErrorState problem={form.problem} />}
        <RegistrationFields register={register} />
        <Button kind="main" type="submit" isWide isPending={form.isPending}>
          {t.register.submit}
        </Button>
      </Form>
    </AccountFrame>
  );
}

function Closed() {
  return (
    <AccountFrame title={t.register.closedTitle} intro={t.register.closed}>
      <ButtonLink href="/signin" isWide>
        {t.backToSignIn}
      </ButtonLink>
    </AccountFrame>
  );
}

/** Name, address and password, and how they become an account and a session. */
function useRegistration() {
  const { session } = useServices();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  return {
    name,
    setName,
    email,
    setEmail,
    password,
    setPassword,
    async send() {
      await session.enter('/register', { full_name: name.trim(), email: email.trim(), password });
      await session.enter('/login', { email: email.trim(), password });
    },
    enter: () => void navigate({ href: '/', replace: true }),
  };
}

function RegistrationFields({ register }: { readonly register: ReturnType<typeof useRegistration> }) {
  return (
    <>
      <NameField value={register.name} onChange={register.setName} autoFocus />
      <EmailField value={register.email} onChange={register.setEmail} />
      <NewPasswordField value={register.password} onChange={register.setPassword} />
    </>
  );
}

/** Names the project that every installation begins with. */
async function nameProject(api: ReturnType<typeof useApi>, name: string): Promise<void> {
  const { data } = await unwrap(api.GET('/api/v1/projects'));
  const [first] = data;
  if (first === undefined) return;
  const path = { project_id: first.id };
  await unwrap(api.PATCH('/api/v1/projects/{project_id}', { params: { path }, body: { name } }));
}
